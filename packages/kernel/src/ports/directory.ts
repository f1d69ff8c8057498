// The directory of a store: lists across sessions, from the rows that appends carry.

import type { GivenAnswer } from '@bridle/events/answers'
import type { JsonObject } from '@bridle/events/json'
import type { SessionStatus } from '@bridle/events/schemas'
import type { Key } from '../event.ts'
import type { Approval, RiskLevel, SettledEntry } from '../projections/approvals.ts'
import type { QuestionFields } from '../question-request.ts'
import type { RowDetail } from '../views/row-detail.ts'
import type { BranchParent } from './log.ts'

/** A session as lists show it, without a fold. Stores index a few fields and keep the rest as JSON. */
export interface DirectoryRow {
  readonly kind: 'chat' | 'background'
  readonly status: SessionStatus
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly parent: BranchParent | null
  /** The user that the session belongs to, as `ownerOf` writes it; it never changes. Null or absent = it belongs to nobody. */
  readonly owner?: string | null
  /** Somebody put the session away; absent = nobody did. */
  readonly isArchived?: boolean
  /** Open approvals only. */
  readonly approvals: readonly OpenApproval[]
  /** The newest settled approvals, oldest first; absent = none. A store lists them by `settled`. */
  readonly settled?: readonly SettledListing[]
  /** Everything else that a list shows. */
  readonly detail: RowDetail
}

export const flagsOf = ({ detail: { health } }: DirectoryRow): readonly string[] => health?.flags ?? []

/** The session that this one branches from, or was started from. */
export const parentIdOf = ({ parent, detail }: DirectoryRow): string | null =>
  parent?.id ?? detail.parentSessionId ?? null

/** Questions and schemas are absent where the arguments are null. */
export interface OpenApproval
  extends QuestionFields,
    Pick<Approval, 'id' | 'tool' | 'reason' | 'requestedAt' | 'expiresAt' | 'effect'> {
  /** Rows that an older version wrote lack this field and the following ones. */
  readonly kind?: Approval['kind']
  readonly toolCallId?: string
  /** Null = they are too large for a row; the session has them. */
  readonly arguments?: JsonObject | null
  /** The session that started this one; absent = none. */
  readonly parentSessionId?: string
  /** Title of the session. */
  readonly title?: string
  /** Tool, reason, title or arguments are shorter here than in the session. */
  readonly isCut?: boolean
  /** How much is at stake; absent = nobody says. */
  readonly risk?: RiskLevel
}

export interface SettledListing
  extends OpenApproval,
    GivenAnswer,
    Omit<SettledEntry, keyof OpenApproval | keyof GivenAnswer | 'decision'> {
  readonly decision: string
}

export interface ListedSession {
  readonly key: Key
  readonly head: number
  readonly row: DirectoryRow
  /** The incarnation of the session's log; absent = the first. */
  readonly incarnation?: number
}

/** A session that exists, and the user that it belongs to. */
export interface SessionEntry {
  readonly key: Key
  readonly owner: string | null
}

export interface ListFilter {
  readonly status?: string
  readonly kind?: string
  readonly agent?: string
  /** Only sessions of these agents. */
  readonly agents?: readonly string[]
  /** No sessions of these agents. */
  readonly otherAgents?: readonly string[]
  /** Only archived sessions, or only the others; absent = both. */
  readonly archived?: boolean
  /** Only sessions whose health has this flag. */
  readonly flag?: string
  /** Only sessions that changed after this time. */
  readonly changedSince?: number
  /** The parent: only its branches, and the background sessions that were started from it. */
  readonly parentId?: string
  /** Matches ids and titles, case-insensitively. */
  readonly search?: string
  /** Only sessions that this user may open: the user's, and those that belong to nobody. */
  readonly viewer?: string
  /**
   * updated (the default): newest change first, and a session that changes between two pages may be on neither. created: in
   * the order in which they were made, so pages meet each session once, whatever changes.
   */
  readonly order?: 'updated' | 'created'
  readonly limit?: number
  readonly cursor?: string
}

/**
 * The caller for whom a list is read. A list may have to read many rows: then a store shares its time out among readers, rejects
 * with the code `busy` when one has too many such lists, and stops once the signal is aborted.
 */
export interface ListReader {
  /** The credential, as a name that only this process needs to understand. */
  readonly who: string
  readonly signal?: { readonly aborted: boolean }
}

/**
 * The view across sessions. A page may have fewer entries than its limit, or none, and a `next` all the same: the store has
 * then read as many rows as it reads for one call. Without `next`, the list has ended.
 */
export interface Directory {
  /** In the order that the filter asks for. */
  list(tenant: string, filter: ListFilter, reader?: ListReader): Promise<{ sessions: ListedSession[]; next?: string }>
  /** Sessions that have open approvals, oldest request first. */
  approvals(
    tenant: string,
    filter: { limit?: number; cursor?: string; viewer?: string },
    reader?: ListReader,
  ): Promise<{ approvals: { key: Key; approval: OpenApproval }[]; next?: string }>
  /** Settled approvals of the rows, newest decision first. */
  settled(
    tenant: string,
    filter: { limit?: number; cursor?: string; viewer?: string },
    reader?: ListReader,
  ): Promise<{ approvals: { key: Key; approval: SettledListing }[]; next?: string }>
  /** The number of open approvals of all tenants; a store that cannot count them has no such call. */
  openApprovals?(): Promise<number>
  /** Sessions whose `dueAt` is at or before `now`, earliest first, whether or not they have an effect in hand. */
  due(now: number, limit: number): Promise<Key[]>
  /** Sessions that have an effect in hand, in the order in which they were made. */
  inHand(limit: number): Promise<Key[]>
  /** The sessions of all agents and users with this id, in the order in which they were made. */
  find(tenant: string, id: string): Promise<SessionEntry[]>
}
