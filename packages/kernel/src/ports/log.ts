import type { Json } from '@bridle/events/json'
import type { Event, Key } from '../event.ts'
import type { DirectoryRow } from './directory.ts'

/** The branch point. Reads at or below `seq` go to the parent. */
export interface BranchParent {
  readonly agent: string
  readonly id: string
  readonly seq: number
}

/** The right to append to a session, bound to the epoch in which it was opened. */
export interface Lease {
  /** The session. */
  readonly key: Key
  /** The fence: appends are refused once another owner has a higher epoch. */
  readonly epoch: number
  /** False until the first append; opening writes nothing. */
  readonly exists: boolean
  /** The last sequence number. For a new session 0, the branch point, or the tombstone's head if the id was removed. */
  readonly head: number
  /** The branch point in the parent. Null if the session is not a branch. */
  readonly parent: BranchParent | null
  /** The newest snapshot. Null: the opener folds the whole log. */
  readonly snapshot: Snapshot | null
  /** 1 unless events were lost, or the id was removed and branched again. */
  readonly incarnation: number
  /** The incarnation of the parent's log. Null if the session is not a branch. */
  readonly parentIncarnation: number | null
}

/** A cached fold at `seq`. Settled pieces of messages are stored separately and joined at open. */
export interface Snapshot {
  readonly seq: number
  readonly foldVersion: string
  readonly state: string
  /** JSON, one per settled piece from index 0. Null: the opener already has it. */
  readonly pieces: readonly (string | null)[]
}

/** Settled pieces of the parent that the opener holds in memory, as of a snapshot at `seq`. */
export interface KnownPieces {
  /** The opener has the parent's state at the branch point, so no snapshot is needed. */
  readonly hasState?: true
  readonly seq: number
  readonly count: number
}

export interface SnapshotWrite extends Omit<Snapshot, 'pieces'> {
  readonly settled: number
  /** Pieces settled since the last snapshot. Each is written once. */
  readonly pieces: readonly { readonly index: number; readonly text: string }[]
  /** Keep for branches from old events. Other snapshots are replaced by the next one. */
  readonly keep: boolean
}

/** Kept until the session is removed. */
export interface StoredAnswer {
  readonly commandId: string
  readonly bodyHash: string
  readonly answer: Json
}

/** Why a session is opened without a caller. */
export interface Wake {
  /** The owner is performing an effect, such as a run. If it dies, the next owner opens the session on start. */
  readonly inHand: boolean
  /** When the session next changes through time alone, in ms. Null: never. */
  readonly dueAt: number | null
}

/** An atomic append to the log of a session. */
export interface LogAppend {
  /** Numbered without gaps from head + 1. May be empty if there are `results` or a `row`. */
  readonly events: readonly Event[]
  /** Required in the first append of a session. */
  readonly row?: DirectoryRow
  /** Absent: unchanged. */
  readonly wake?: Wake
  /** Answers to commands, found by command id. */
  readonly results?: readonly StoredAnswer[]
  /** Makes the next open cheap. */
  readonly snapshot?: SnapshotWrite
}

export interface ReadOptions {
  /** Ends a page early, after at least one event, so that large events do not fill the memory. */
  readonly charsMax?: number
  /** The caller ignores artifact text, so a store that keeps it elsewhere may leave it empty. */
  readonly withoutContent?: boolean
}

/** Schedules the steps of a long read. Absent: steps run at once. */
export type TakeTurns = <T>(step: () => Promise<T>) => Promise<T>

/** The events of each session, which are the source of truth. */
export interface Log {
  /**
   * Null if another live owner has the session. `from` makes a branch, whose lineage the first append records. Pieces in `known`
   * are not read again. Long snapshots are read in steps through `takeTurns`, so that they do not block other sessions.
   */
  open(key: Key, from?: BranchParent, known?: KnownPieces, takeTurns?: TakeTurns): Promise<Lease | null>
  /** Atomic. Resolves when durable, or rejects with a StoreFault. */
  append(lease: Lease, append: LogAppend): Promise<void>
  /** Events after `after`, in order, at most `limit`; through the lineage of a branch. */
  read(key: Key, after: number, limit: number, options?: ReadOptions): Promise<Event[]>
  /** The stored answer to a command id, or null. */
  result(key: Key, commandId: string): Promise<StoredAnswer | null>
  /** Leaves a tombstone with the head. Rows stay while a branch needs them. False if there is no such session. */
  remove(key: Key): Promise<boolean>
  /** Lets the next session of this key start after `head`, for an imported log. Refused if one exists. Used numbers stay used. */
  reserve(key: Key, head: number): Promise<void>
  /**
   * Throws `fenced` or `gone` if sessions in memory must no longer be shown: another process has the data, or it was deleted.
   * Cheap enough for every request. Absent if the store cannot lose its data this way.
   */
  check?(): void
}
