// The memory of agents: accepted values, and proposals that wait for a person.
import type { Json } from '../../../kernel/json.ts'

/** The memory of a session, as far as people decided about it. What an agent keeps by itself is not shown. */
export interface MemoryPage {
  /** Values that somebody accepted. */
  readonly memory: readonly AcceptedValue[]
  /** The newest proposals, newest first. */
  readonly proposals: readonly ProposalSummary[]
}

/** A value of the memory that somebody accepted, with its source. */
export interface AcceptedValue {
  /** The key. */
  readonly key: string
  /** The value. */
  readonly value: Json
  /** The time after which the value is forgotten, in ISO 8601; null = never. */
  readonly expiresAt: string | null
  /** The proposal: the id of its artifact. */
  readonly proposalId: string
  /** The run that proposed it; null = not known. */
  readonly runId: string | null
  /** The time of the decision, in ISO 8601. */
  readonly acceptedAt: string
  /** The person who accepted it; null = not named. */
  readonly acceptedBy: string | null
}

/** A value that the agent proposes for the memory. What it says is the content of the artifact with this id. */
export interface ProposalSummary {
  /** The id of the artifact. */
  readonly id: string
  /** The key: as accepted, or else as proposed. */
  readonly key: string
  /** The decision, or that it waits for one. */
  readonly status: 'pending' | 'accepted' | 'rejected'
  /** The content type of the artifact: JSON stands for its value, any other text for itself. */
  readonly contentType: string
  /** The size of the artifact in bytes. */
  readonly size: number
  /** The agent's own words; null = none. */
  readonly reason: string | null
  /** The run that proposes it; null = not known. */
  readonly runId: string | null
  /** The time of the proposal, in ISO 8601. */
  readonly proposedAt: string
  /** The time of the decision, in ISO 8601; null = not yet. */
  readonly decidedAt: string | null
  /** The person who decided; null = nobody, or not named. */
  readonly decidedBy: string | null
  /** The person's own words; null = none. */
  readonly decisionReason: string | null
}

/** The answer to a decision about a proposal. */
export interface MemoryReceipt {
  /** Always true: a decision that is refused is an error. */
  readonly ok: true
  /** The proposal: the id of its artifact. */
  readonly proposalId: string
  /** The decision. */
  readonly decision: 'accepted' | 'rejected'
  /** The key of the value. */
  readonly key: string
  /** The number of the session's newest event after the decision. */
  readonly seq: number
}
