// Stored as JSON. Types only, since clients use the summaries.

import type { SessionStatus } from '@bridle/events/schemas'
import type { Lifecycle } from '../projections/lifecycle-state.ts'
import type { HealthSnapshot } from './health-snapshot.ts'
import type { ListedCounts } from './listed-counts.ts'

/** Shared by the status card and the directory row. Times are in milliseconds. */
export interface KeptFacts
  extends Pick<Lifecycle, 'attempts' | 'maxRetries' | 'expiresAt' | 'endedAt' | 'lastError' | 'parentSessionId'> {
  readonly status: SessionStatus
  readonly branchSourceEventId: string | null
  readonly branchResumeCursor: string | null
}

/** Rows of older versions lack newer fields. */
export interface RowDetail
  extends Partial<ListedCounts>,
    Partial<Omit<KeptFacts, 'status' | 'branchSourceEventId' | 'branchResumeCursor'>> {
  readonly queued?: number
  readonly heartbeatAt?: number | null
  readonly usage?: UsageSummary
  readonly step?: StepSummary | null
  readonly model?: string | null
  readonly retryAt?: number | null
  readonly branchSourceEventId?: string
  readonly branchResumeCursor?: string
  readonly incarnation?: number
  readonly health?: HealthSummary
}

/** The tokens and cost of a session in lists. */
export interface UsageSummary {
  /** Tokens of all model calls, including delegated work. */
  readonly total_tokens: number
  /** In US dollars. Null if unknown. */
  readonly cost_usd: number | null
}

/** The current step of a session's work. */
export interface StepSummary {
  /** The number of the step, from 1. */
  readonly index: number
  /** The number of steps. Null if unknown. */
  readonly total: number | null
  /** The title of the step. */
  readonly title: string
  /** The status, in the agent's own words. */
  readonly status: string
}

export interface HealthSummary extends Pick<HealthSnapshot, 'score' | 'flags' | 'hint' | 'budget_pressure'> {
  readonly recovery_action: string | null
}
