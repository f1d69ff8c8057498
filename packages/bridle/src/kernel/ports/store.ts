// What the kernel needs from outside. Stores, runners and clocks implement these; the kernel awaits nothing else.
import type { Event, Key } from '../event.ts'
import type { Json, JsonObject } from '../json.ts'

/** Where a branch left its parent. Reads at or below `seq` go through to the parent. */
export interface BranchParent {
  readonly agent: string
  readonly id: string
  readonly seq: number
}

/** The right to append to one session, as of the epoch it was opened in. */
export interface Lease {
  readonly key: Key
  /** The fence: once another owner has a higher one, appends with this one are refused by the store. */
  readonly epoch: number
  /** False until the first append; opening writes nothing. */
  readonly exists: boolean
  /** The last sequence number: 0 for a new session, the branch point for a new branch, the tombstone's for a re-created id. */
  readonly head: number
  readonly parent: BranchParent | null
  readonly snapshot: Snapshot | null
  /** Which life of the log its numbers belong to: 1 unless an earlier one was lost, or removed and branched again. */
  readonly incarnation: number
  /** The incarnation of the log that it branched from; null where there is none. */
  readonly parentIncarnation: number | null
}

/** A cached fold at `seq`. `state` lacks the settled messages; they are rows of their own, joined again at open. */
export interface Snapshot {
  readonly seq: number
  readonly foldVersion: string
  /** JSON text. */
  readonly state: string
  /** JSON texts, one per settled message, by index from 0; null = as the opener holds it. */
  readonly messages: readonly (string | null)[]
}

/** The first settled messages of the session that a branch leaves, held by the opener as of a snapshot at `seq`. */
export interface KnownMessages {
  readonly seq: number
  readonly count: number
}

export interface SnapshotWrite {
  readonly seq: number
  readonly foldVersion: string
  readonly state: string
  /** How many settled messages the snapshot has in all. */
  readonly settled: number
  /** Messages that settled since the last snapshot; each is written once. */
  readonly messages: readonly { readonly index: number; readonly text: string }[]
  /** Kept for branches far back; others give way to the next snapshot. */
  readonly keep: boolean
}

/** The answer to a command id, kept as long as the session lives. */
export interface StoredAnswer {
  readonly commandId: string
  readonly bodyHash: string
  readonly answer: Json
}

/** What lists show without a fold. Stores index a few fields and keep the rest as JSON. */
export interface DirectoryRow {
  readonly kind: 'chat' | 'background'
  readonly status: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly parent: BranchParent | null
  /** The user it belongs to, as `ownerOf` writes it; it stays for the session's life. Null or absent = nobody's. */
  readonly owner?: string | null
  /** Open approvals only. */
  readonly approvals: readonly OpenApproval[]
  /** Everything else a list shows: attempts, expiry, last error, health summary. */
  readonly detail: { readonly [name: string]: Json }
}

/** The session it branches from, or was started from. */
export const parentIdOf = ({ parent, detail }: DirectoryRow): string | null =>
  parent?.id ?? (typeof detail.parentSessionId === 'string' ? detail.parentSessionId : null)

export interface OpenApproval {
  readonly id: string
  readonly tool: string
  readonly reason: string
  readonly requestedAt: number
  readonly expiresAt: number | null
  /** The rest is absent in rows from before an inbox showed it. */
  readonly kind?: string
  readonly toolCallId?: string
  /** Null = too large for a row; the session has them. */
  readonly arguments?: JsonObject | null
  /** Title of the session. */
  readonly title?: string
  /** Tool, reason, title or arguments are shorter here than in the session. */
  readonly isCut?: boolean
}

/** What has a session opened though no caller asks for it. A store finds sessions by either. */
export interface Wake {
  /** The session has an effect to carry out. Its owner does that; when the owner dies, the next one opens the session at once. */
  readonly inHand: boolean
  /** The next moment, in ms, at which time alone changes the session; null = none. */
  readonly dueAt: number | null
}

export interface LogAppend {
  /** Dense and starting at head + 1; may be empty when there are `results`, or a `row` to touch. */
  readonly events: readonly Event[]
  /** Required with the first append of a session. */
  readonly row?: DirectoryRow
  /** Absent = as the session's last append said. */
  readonly wake?: Wake
  readonly results?: readonly StoredAnswer[]
  readonly snapshot?: SnapshotWrite
}

export interface ReadOptions {
  /** A page may stop after at least one event when the JSON of its events is this long: large events must not fill the memory. */
  readonly charsMax?: number
  /** The caller does not look at the text of artifacts: a store that keeps it elsewhere leaves it empty. */
  readonly withoutContent?: boolean
}

/** One session's truth. */
export interface Log {
  /**
   * Null when another live owner has it. `from` makes a branch: the first append records the lineage. What is `held` of the
   * parent's messages need not be read again, so that a branch does not cost its history.
   */
  open(key: Key, from?: BranchParent, held?: KnownMessages): Promise<Lease | null>
  /** Atomic and durable when it resolves. Rejects with a StoreFault. */
  append(lease: Lease, append: LogAppend): Promise<void>
  /** Events with seq > after, in order, at most `limit`; through the lineage of a branch. */
  read(key: Key, after: number, limit: number, options?: ReadOptions): Promise<Event[]>
  result(key: Key, commandId: string): Promise<StoredAnswer | null>
  /** Leaves a tombstone with the head; rows stay while a branch needs them. False when there was nothing. */
  remove(key: Key): Promise<boolean>
  /**
   * Throws `fenced` or `gone` when sessions in memory must not be shown any more: another process has the data, or the data
   * was taken away. Cheap enough to be called for every request. Optional: not every store can lose its data this way.
   */
  check?(): void
}

export interface ListedSession {
  readonly key: Key
  readonly head: number
  readonly row: DirectoryRow
  /** The incarnation of its log; absent = the first. */
  readonly incarnation?: number
}

/** A session that exists, and the user it belongs to. */
export interface SessionEntry {
  readonly key: Key
  readonly owner: string | null
}

export interface ListFilter {
  readonly status?: string
  readonly kind?: string
  readonly agent?: string
  /** The session branches or background sessions hang from. */
  readonly parentId?: string
  /** Matches ids and titles, case-insensitively. */
  readonly search?: string
  /** Only sessions that this user may open: its own, and those that belong to nobody. */
  readonly viewer?: string
  /**
   * updated (the default): newest change first, and a session that changes between two pages may be on neither. created: in
   * the order in which they were made, so pages meet each session once, whatever changes.
   */
  readonly order?: 'updated' | 'created'
  readonly limit?: number
  readonly cursor?: string
}

/** Across sessions. */
export interface Directory {
  /** In the order that the filter asks for. */
  list(tenant: string, filter: ListFilter): Promise<{ sessions: ListedSession[]; next?: string }>
  /** Sessions that have open approvals, oldest request first. */
  approvals(
    tenant: string,
    filter: { limit?: number; cursor?: string; viewer?: string },
  ): Promise<{ approvals: { key: Key; approval: OpenApproval }[]; next?: string }>
  /** Sessions whose `dueAt` is at or before `now`, earliest first, whether or not they have an effect in hand. */
  due(now: number, limit: number): Promise<Key[]>
  /** Sessions that have an effect in hand, in the order in which they were made. */
  inHand(limit: number): Promise<Key[]>
  /** All agents' sessions with this id, whoever they belong to, in the order in which they were made. */
  find(tenant: string, id: string): Promise<SessionEntry[]>
}

export type StoreFaultCode =
  /** Another owner has the session: drop it. */
  | 'fenced'
  /** No room: nothing was written. */
  | 'full'
  /** The write may or may not be there: drop the session, reopen, read. */
  | 'outcome_unknown'
  /** A sync failed a moment ago: nothing is read or written until all that can be read is known to be on the disk. */
  | 'unsynced'
  /** A row does not match its checksum; that session alone is stopped. */
  | 'corrupt'
  /** The data was taken away from under the store: what would be written now, nobody would find again. */
  | 'gone'
  /** What the store keeps elsewhere cannot be reached: nothing was written, nothing is lost. */
  | 'unreachable'
  /** What the store keeps elsewhere is not there any more; that artifact alone cannot be read. */
  | 'content_gone'
  /** Broken contract (a gap in the numbers, a first append without a row). */
  | 'refused'

export class StoreFault extends Error {
  readonly code: StoreFaultCode
  constructor(code: StoreFaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StoreFault'
    this.code = code
  }
}

export const hasFaultCode = (cause: unknown, code: StoreFaultCode): boolean =>
  cause instanceof StoreFault && cause.code === code

export interface Clock {
  /** Wall time in ms; may jump either way. */
  now(): number
  /** Calls back once after `ms`; the returned function forgets it. */
  after(ms: number, call: () => void): () => void
}

/** SHA-256 of a text, hex: what approvals are bound to. Computed outside, since it is asynchronous on every platform. */
export type Digest = (text: string) => Promise<string>
