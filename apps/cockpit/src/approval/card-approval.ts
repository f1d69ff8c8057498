// An approval as the card shows it, whichever answer of the server it comes from.
import type { GivenAnswer, HarnessApproval, PendingApproval, Question } from 'bridle/client'

export type JsonRecord = NonNullable<PendingApproval['args']>

export interface CardApproval {
  readonly id: string
  /** `tool`, `question`, `budget` or `unknown_outcome`; null = not known. */
  readonly kind: string | null
  readonly toolName: string
  readonly toolCallId?: string | null
  readonly reason: string
  /** Null = a list has no room for them; the card loads them. */
  readonly args: JsonRecord | null
  readonly expiresAt?: string | null
  readonly requestedAt?: string
  readonly effect?: string | null
  readonly risk?: string | null
  readonly questions?: readonly Question[]
  /** The schema of a form. */
  readonly schema?: JsonRecord
  /** The answers or values that apply when a question expires. */
  readonly default?: JsonRecord
  /** The session has more of the name, the reason or the arguments. */
  readonly isCut?: boolean
  /** The session below that asks; absent = the card's session asks. */
  readonly child?: NonNullable<HarnessApproval['child']>
  /** The answer, where there is one already. */
  readonly settlement?: CardSettlement
}

export interface CardSettlement extends GivenAnswer {
  /** `closed`: it no longer waits, and the answer is not known here. */
  readonly decision: 'approved' | 'denied' | 'expired' | 'cancelled' | 'superseded' | 'closed'
  /** Null = nobody, or not named. */
  readonly by: string | null
  readonly at: string | null
  readonly isEdited?: boolean
  /** A question expired, and its default applies. */
  readonly isDefault?: boolean
  readonly reason?: string | null
}

export interface CardSession {
  readonly id: string
  readonly agent: string
  readonly title: string | null
}

export const cardOfHarnessApproval = ({ arguments: args, ...approval }: HarnessApproval): CardApproval => ({
  ...approval,
  args: args ?? null,
  ...(approval.child?.isCut && { isCut: true }),
})

/** Where the approval is asked: the session that has all of it, and its id there. */
export const askedAt = (
  { id, child }: Pick<CardApproval, 'id' | 'child'>,
  session: Pick<CardSession, 'id' | 'agent'>,
) =>
  child
    ? { approvalId: child.approvalId, session: { id: child.id, agent: child.agent } }
    : { approvalId: id, session: { id: session.id, agent: session.agent } }

/** The same approval, whichever list it is in. */
export const approvalKey = (session: Pick<CardSession, 'id' | 'agent'>, approvalId: string): string =>
  JSON.stringify([session.agent, session.id, approvalId])
