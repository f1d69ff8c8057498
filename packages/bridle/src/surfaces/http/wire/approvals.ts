// Approvals, open and settled.
import type { JsonObject } from '../../../kernel/json.ts'

/** An approval of a session that waits for an answer. */
export interface SessionApproval {
  /** The approval's id. */
  readonly id: string
  /** The kind of the approval. */
  readonly kind: 'tool' | 'budget' | 'unknown_outcome'
  /** The name of the tool, or the subject of the question. */
  readonly toolName: string
  /** The tool call that waits; empty = none. */
  readonly toolCallId: string
  /** The reason that the person reads. */
  readonly reason: string
  /** The arguments, which the person may change. */
  readonly args: JsonObject
  /** The time at which the approval expires, in ISO 8601; null = never. */
  readonly expiresAt: string | null
  /** The declared effect of the call; null = its tool declares none. */
  readonly effect: ApprovalEffect | null
  /** How much is at stake, as the policy or the declared effect says; null = neither does. */
  readonly risk: ApprovalRiskLevel | null
}

/** Whether a call may be repeated after a crash in the middle of it. */
export type ApprovalEffect = 'pure' | 'idempotent' | 'unsafe'

/** How much is at stake in a call that a person is asked about. */
export type ApprovalRiskLevel = 'low' | 'caution' | 'danger'

/** An approval that waits for an answer, in the inbox over all sessions. */
export interface PendingApproval {
  /** The approval's id. */
  readonly id: string
  /** The same as `id`. */
  readonly approvalId: string
  /** The id of the session. */
  readonly sessionId: string
  /** The name of the session's agent. */
  readonly agent: string
  /** Title of the session. */
  readonly title: string | null
  /** The status: the inbox has only approvals that wait. */
  readonly status: 'pending'
  /** The kind: `tool`, `budget` or `unknown_outcome`; null = not known. */
  readonly kind: string | null
  /** The name of the tool, or the subject of the question. */
  readonly toolName: string
  /** The tool call that waits; null = none. */
  readonly toolCallId: string | null
  /** Null = too large for a list; the session has them. */
  readonly args: JsonObject | null
  /** The reason that the person reads. */
  readonly reason: string
  /** The session has more of the title, the tool's name, the reason or the arguments. */
  readonly isCut: boolean
  /** The time of the request, in ISO 8601. */
  readonly requestedAt: string
  /** The time at which the approval expires, in ISO 8601; null = never. */
  readonly expiresAt: string | null
  /** The declared effect of the call; null = its tool declares none. */
  readonly effect: ApprovalEffect | null
  /** How much is at stake, as the policy or the declared effect says; null = neither does. */
  readonly risk: ApprovalRiskLevel | null
}

/** An approval that no longer waits, in the history of the inbox. */
export interface SettledApproval extends Omit<PendingApproval, 'status'> {
  /** The decision; `cancelled` = its run ended, or another question replaced it. */
  readonly status: 'approved' | 'denied' | 'expired' | 'cancelled'
  /** The time of the decision, in ISO 8601. */
  readonly decidedAt: string
  /** The person who decided; null = nobody, or not named. */
  readonly decidedBy: string | null
  /** The caller supplied the name, since its credential has no user. Absent = the credential has this user, or there is no name. */
  readonly decidedByClaimed?: true
  /** The person's own words; null = none. */
  readonly decisionReason: string | null
  /** The call was approved with other arguments than those asked for; `args` has the approved ones. */
  readonly isEdited: boolean
  /** An imported file says so: nobody decided it on this server. Absent = it was decided here. */
  readonly imported?: true
}

/** The approvals of each `status` of the inbox. */
export interface ApprovalsByStatus {
  /** Approvals that wait, oldest first. */
  readonly pending: PendingApproval
  /** Approvals that were settled, newest decision first. */
  readonly decided: SettledApproval
  /** Approvals that wait, then those that were settled. */
  readonly all: PendingApproval | SettledApproval
}

/** A page of the inbox. */
export interface ApprovalPage<A = PendingApproval> {
  /** The approvals of this page. */
  readonly approvals: readonly A[]
  /** Pass it as `cursor` for the next page. */
  readonly next?: string
}

/** Fields that stand beside the error where an approval was settled already (409). */
export interface SettledApprovalDetails {
  /** The decision that stands. */
  readonly decision: 'approved' | 'denied' | 'expired' | 'cancelled'
  /** The person who decided; null = nobody, or not named. */
  readonly decidedBy: string | null
  /** The caller supplied the name, since its credential has no user. Absent = the credential has this user, or there is no name. */
  readonly decidedByClaimed?: true
  /** The time of the decision, in ISO 8601. */
  readonly decidedAt: string
}

/** The answer to `approve` and `reject`. */
export interface ApprovalReceipt {
  /** Always true: a decision that is refused is an error. */
  readonly ok: true
  /** The approval's id. */
  readonly approvalId: string
  /** The decision. */
  readonly decision: 'approved' | 'denied'
  /** The number of the session's newest event after the decision. */
  readonly seq: number
}
