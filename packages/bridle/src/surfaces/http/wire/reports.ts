// A run's own reports in the detail of its session: cost, steps, citations, notices.
import type { Json } from '../../../kernel/json.ts'
import type { ProposalSummary } from './memory.ts'
import type { StepSummary } from './session-list.ts'

/** The reports of a session's agent about its work, the newest of each kind. The log has all of them. */
export interface SessionReports {
  /** The tokens and the cost of the session so far. */
  readonly usage: SessionUsage
  /** The newest steps of the work, oldest first. */
  readonly steps: readonly SessionStep[]
  /** The step that the work has reached; null where the current or last turn tells no steps. */
  readonly step: StepSummary | null
  /** The newest citations, oldest first. */
  readonly citations: readonly SessionCitation[]
  /** The newest retrieval: `query`, and of the documents before the model `tokens`, `documents` and `left_out`; null = none. */
  readonly context_pack: SessionNotice | null
  /** The newest report of the guardrails: `trace_id`, `confidence`, `layers`; null = none. */
  readonly guardrail: SessionNotice | null
  /** The newest warnings about the context, oldest first: `message`, `kind`, `usage_pct`. */
  readonly context_warnings: readonly SessionNotice[]
  /** The newest compactions of the context, oldest first: `summary`, and the numbers that the engine reports. */
  readonly compactions: readonly SessionNotice[]
  /** The values that the agent proposes for its memory and that wait for a decision, newest first. */
  readonly memory_proposals: readonly ProposalSummary[]
}

/** The tokens and the cost of a session. */
export interface SessionUsage {
  /** The tokens that the models of the session read. */
  readonly input_tokens: number
  /** The tokens that the models of the session wrote. */
  readonly output_tokens: number
  /** The tokens of all model calls, those of delegated work included. */
  readonly total_tokens: number
  /** The cost in US dollars; null = nobody has told one. */
  readonly cost_usd: number | null
  /** The used part of the model's context in percent; null = not known, or compacted since. */
  readonly context_usage_pct: number | null
  /** The number of reports of tokens: one for each model call, or for each turn where the engine tells no more. */
  readonly model_calls: number
}

/** A step of the work, as it was last told. */
export interface SessionStep {
  /** The id of the step in its turn, or its place in the plan. */
  readonly step: string
  /** The title of the step. */
  readonly title: string
  /** The status, in the agent's own word; that of the turn where the turn ended first. */
  readonly status: string
  /** The time at which the step began, in ISO 8601; null = nobody has told. */
  readonly started_at: string | null
  /** The time at which the step ended, in ISO 8601; null = not yet. */
  readonly ended_at: string | null
  /** The event that told the status. */
  readonly event_id: string
}

/** A source of an answer: the fields of the agent's own, often `id`, `title` and `url`. */
export interface SessionCitation {
  /** The event that named the source. */
  readonly event_id: string
  readonly [name: string]: Json
}

/** The payload of an event, with its place. A payload that is too large for a page is left out: `isCut` is true. */
export interface SessionNotice {
  /** The event. */
  readonly event_id: string
  /** The time of the event, in ISO 8601. */
  readonly timestamp: string
  readonly [name: string]: Json
}

/** Delegated work; the engine adds fields of its own. */
export interface SubagentStatus {
  readonly agent_id: string
  readonly status: string
  readonly event_id: string
  readonly updated_at: string
  readonly [name: string]: Json
}
