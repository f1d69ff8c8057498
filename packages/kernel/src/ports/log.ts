// The log of a session, as a store keeps it: events, stored answers, snapshots, and what finds the session again.

import type { Json } from '@bridle/events/json'
import type { Event, Key } from '../event.ts'
import type { DirectoryRow } from './directory.ts'

/** The point where a branch leaves its parent. Reads at or below `seq` go through to the parent. */
export interface BranchParent {
  readonly agent: string
  readonly id: string
  readonly seq: number
}

/** The right to append to a session, as of the epoch in which it was opened. */
export interface Lease {
  /** The session. */
  readonly key: Key
  /** The fence: once another owner has a higher epoch, the store refuses appends with this one. */
  readonly epoch: number
  /** False until the first append; opening writes nothing. */
  readonly exists: boolean
  /** The last sequence number: 0 for a new session, the branch point for a new branch, the tombstone's for an id that was removed. */
  readonly head: number
  /** The point at which the session left its parent; null = the session is no branch. */
  readonly parent: BranchParent | null
  /** The newest snapshot; null = none, and the opener folds the whole log. */
  readonly snapshot: Snapshot | null
  /** The incarnation that the log's numbers belong to: 1, unless events were lost, or the id was removed and branched again. */
  readonly incarnation: number
  /** The incarnation of the log that the session branched from; null = the session is no branch. */
  readonly parentIncarnation: number | null
}

/** A cached fold at `seq`. `state` lacks the settled pieces of messages: they have rows, and are joined to it at open. */
export interface Snapshot {
  readonly seq: number
  readonly foldVersion: string
  /** JSON text. */
  readonly state: string
  /** JSON texts, one per settled piece, by index from 0; null = the opener has this piece in memory. */
  readonly pieces: readonly (string | null)[]
}

/** The first settled pieces of the session that a branch leaves, which the opener has in memory as of a snapshot at `seq`. */
export interface KnownPieces {
  /** The opener has the whole state of the parent at the branch point: a snapshot would be read in vain. */
  readonly hasState?: true
  readonly seq: number
  readonly count: number
}

export interface SnapshotWrite extends Omit<Snapshot, 'pieces'> {
  /** How many settled pieces the snapshot has in all. */
  readonly settled: number
  /** Pieces that settled since the last snapshot; each is written once. */
  readonly pieces: readonly { readonly index: number; readonly text: string }[]
  /** Keeps the snapshot for branches far back; the next snapshot replaces any other. */
  readonly keep: boolean
}

/** The answer to a command id. It is kept until the session is removed. */
export interface StoredAnswer {
  readonly commandId: string
  readonly bodyHash: string
  readonly answer: Json
}

/** The reasons for which a session is opened although no caller asks for it. A store finds sessions by either. */
export interface Wake {
  /** The session's owner carries out an effect, such as a run. When the owner dies, the next one opens the session at its start. */
  readonly inHand: boolean
  /** The next moment, in ms, at which time alone changes the session; null = none. */
  readonly dueAt: number | null
}

/** An append to the log of a session: all of it is written, or nothing. */
export interface LogAppend {
  /** Numbered without a gap from head + 1. Empty where there are only `results`, or a `row` to touch. */
  readonly events: readonly Event[]
  /** Required with the first append of a session. */
  readonly row?: DirectoryRow
  /** Absent = as the session's last append said. */
  readonly wake?: Wake
  /** The answers to commands, to be found by command id. */
  readonly results?: readonly StoredAnswer[]
  /** A snapshot of the fold, which makes the next open cheap. */
  readonly snapshot?: SnapshotWrite
}

export interface ReadOptions {
  /** A page may stop after at least one event when the JSON of its events is this long: large events must not fill the memory. */
  readonly charsMax?: number
  /** The caller does not look at the text of artifacts: a store that keeps it elsewhere leaves it empty. */
  readonly withoutContent?: boolean
}

/** Runs one step of a long read when it is its turn. Absent = at once. */
export type TakeTurns = <T>(step: () => Promise<T>) => Promise<T>

/** The events of each session: the truth about it. */
export interface Log {
  /**
   * Null when another live owner has the session. `from` makes a branch: the first append records the lineage. The parent's
   * settled pieces that the opener has in memory are not read again, so that a branch does not cost its history. A store that reads a
   * long snapshot does so in steps, and passes each one to `takeTurns`, so that it does not block other sessions.
   */
  open(key: Key, from?: BranchParent, known?: KnownPieces, takeTurns?: TakeTurns): Promise<Lease | null>
  /** Atomic. Resolves when the append is durable; rejects with a StoreFault. */
  append(lease: Lease, append: LogAppend): Promise<void>
  /** Events with seq > after, in order, at most `limit`; through the lineage of a branch. */
  read(key: Key, after: number, limit: number, options?: ReadOptions): Promise<Event[]>
  /** The stored answer to a command id; null = the session has not answered this id. */
  result(key: Key, commandId: string): Promise<StoredAnswer | null>
  /** Leaves a tombstone with the head; rows stay while a branch needs them. False = there was no such session. */
  remove(key: Key): Promise<boolean>
  /**
   * The next session of this key begins behind `head`, as if one had been removed there: a log from elsewhere keeps its numbers. Refused
   * where the session exists; numbers that are used already stay used.
   */
  reserve(key: Key, head: number): Promise<void>
  /**
   * Throws `fenced` or `gone` when sessions in memory must not be shown any more: another process has the data, or the data
   * was taken away. Cheap enough to be called for every request. Absent = the store cannot lose its data this way.
   */
  check?(): void
}
