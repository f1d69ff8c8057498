// Lists across sessions, built from the rows that appends carry.

import type { GivenAnswer } from '@bridle/events/answers'
import type { JsonObject } from '@bridle/events/json'
import type { SessionStatus } from '@bridle/events/schemas'
import type { Key } from '../event.ts'
import type { Approval, RiskLevel, SettledEntry } from '../projections/approvals.ts'
import type { QuestionFields } from '../question-request.ts'
import type { RowDetail } from '../views/row-detail.ts'
import type { BranchParent } from './log.ts'

/** A session as lists show it. Stores index a few fields and keep the rest as JSON. */
export interface DirectoryRow {
  readonly kind: 'chat' | 'background'
  readonly status: SessionStatus
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly parent: BranchParent | null
  /** Written as by `ownerOf`, and never changes. Null or absent if the session has no owner. */
  readonly owner?: string | null
  readonly isArchived?: boolean
  readonly approvals: readonly OpenApproval[]
  /** The newest settled approvals, in order. `Directory.settled` lists them. */
  readonly settled?: readonly SettledListing[]
  readonly detail: RowDetail
}

export const flagsOf = ({ detail: { health } }: DirectoryRow): readonly string[] => health?.flags ?? []

/** The session that this one was branched or started from. */
export const parentIdOf = ({ parent, detail }: DirectoryRow): string | null =>
  parent?.id ?? detail.parentSessionId ?? null

/** Questions and schemas are absent if the arguments are null. */
export interface OpenApproval
  extends QuestionFields,
    Pick<Approval, 'id' | 'tool' | 'reason' | 'requestedAt' | 'expiresAt' | 'effect'> {
  /** Absent in rows of older versions, like the following fields. */
  readonly kind?: Approval['kind']
  readonly toolCallId?: string
  /** Null if too large for a row; the session has them. */
  readonly arguments?: JsonObject | null
  readonly parentSessionId?: string
  readonly title?: string
  /** Tool, reason, title or arguments are truncated. */
  readonly isCut?: boolean
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
  /** Absent: 1. */
  readonly incarnation?: number
}

export interface SessionEntry {
  readonly key: Key
  readonly owner: string | null
}

export interface ListFilter {
  readonly status?: string
  readonly kind?: string
  readonly agent?: string
  readonly agents?: readonly string[]
  readonly otherAgents?: readonly string[]
  /** Absent: both. */
  readonly archived?: boolean
  readonly flag?: string
  readonly changedSince?: number
  /** Branches of this session, and background sessions started from it. */
  readonly parentId?: string
  /** Case-insensitive match of id or title. */
  readonly search?: string
  readonly viewer?: string
  /** `updated` (default): newest change first, may miss sessions that change between pages. `created`: lists each exactly once. */
  readonly order?: 'updated' | 'created'
  readonly limit?: number
  readonly cursor?: string
}

/** The caller of a list. Stores schedule long lists fairly, reject with `busy` if a caller has too many, and stop if the signal aborts. */
export interface ListReader {
  /** Identifies the credential within this process. */
  readonly who: string
  readonly signal?: { readonly aborted: boolean }
}

/** The view across sessions. Stores bound the rows scanned per call, so a page may be short or empty: only a missing `next` ends a list. */
export interface Directory {
  /** In the order of the filter. */
  list(tenant: string, filter: ListFilter, reader?: ListReader): Promise<{ sessions: ListedSession[]; next?: string }>
  /** Sessions with open approvals, oldest request first. */
  approvals(
    tenant: string,
    filter: { limit?: number; cursor?: string; viewer?: string },
    reader?: ListReader,
  ): Promise<{ approvals: { key: Key; approval: OpenApproval }[]; next?: string }>
  /** Newest decision first. */
  settled(
    tenant: string,
    filter: { limit?: number; cursor?: string; viewer?: string },
    reader?: ListReader,
  ): Promise<{ approvals: { key: Key; approval: SettledListing }[]; next?: string }>
  /** Open approvals of all tenants. Absent if the store cannot count them. */
  openApprovals?(): Promise<number>
  /** Sessions whose `dueAt` is at or before `now`, earliest first, even with an effect in hand. */
  due(now: number, limit: number): Promise<Key[]>
  /** Sessions that have an effect in hand, oldest first. */
  inHand(limit: number): Promise<Key[]>
  /** Sessions of all agents and users with this id, oldest first. */
  find(tenant: string, id: string): Promise<SessionEntry[]>
}
