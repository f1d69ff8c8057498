// The messages of the stream over a tenant's sessions and approvals, as a client meets them. Types only.
import type { PendingApproval, SessionRow } from '../http/wire.ts'

/** A change among the sessions and approvals of a tenant, as far as the caller may open them. */
export type TenantChange = ReadyChange | SessionChange | RemovalChange | ApprovalChange | ApprovalClosure

/** Every later change will be sent. The first message, and again after changes were left out: load the lists again. */
export interface ReadyChange {
  /** The type. */
  readonly type: 'ready'
}

/** A session is new, or its row in lists has changed. */
export interface SessionChange {
  /** The type. */
  readonly type: 'session'
  /** The row as it is now. */
  readonly session: SessionRow
}

/** A session was removed, and its approvals with it. */
export interface RemovalChange {
  /** The type. */
  readonly type: 'session_removed'
  /** The session's id. */
  readonly session_id: string
  /** The name of its agent. */
  readonly agent: string
}

/** An approval waits for an answer. */
export interface ApprovalChange {
  /** The type. */
  readonly type: 'approval'
  /** The approval, as the inbox has it. */
  readonly approval: PendingApproval
}

/** An approval waits no longer. */
export interface ApprovalClosure {
  /** The type. */
  readonly type: 'approval_closed'
  /** The approval's id. */
  readonly id: string
  /** The id of its session. */
  readonly session_id: string
  /** The name of the session's agent. */
  readonly agent: string
  /** The decision; `cancelled` = its run ended, or another question replaced it. */
  readonly status: 'approved' | 'denied' | 'expired' | 'cancelled'
  /** The person who decided; null = nobody, or not named. */
  readonly decidedBy: string | null
  /** The caller supplied the name, since its credential has no user. Absent = the credential has this user, or there is no name. */
  readonly decidedByClaimed?: true
  /** The time of the decision, in ISO 8601; null = not known. */
  readonly decidedAt: string | null
}

/** Messages that keep the connection alive, and tell how far the client has read. */
export type ChangesSignal =
  | { readonly type: 'pong'; readonly ts: number }
  | { readonly type: 'mark'; readonly seq: number }
  | { readonly type: 'error'; readonly message: string }

/** Messages of a client on the socket. */
export type ChangesClientMessage = { readonly type: 'ping' } | { readonly type: 'seen'; readonly seq: number }
