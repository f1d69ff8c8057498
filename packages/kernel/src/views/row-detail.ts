// The detail of a directory row: the fields that stores keep as JSON. Types only: clients see the summaries.

import type { SessionStatus } from '@bridle/events/schemas'
import type { Lifecycle } from '../projections/lifecycle-state.ts'
import type { HealthSnapshot } from './health-snapshot.ts'
import type { ListedCounts } from './listed-counts.ts'

/** Facts that the status card has, and the directory's row keeps. Times are in milliseconds. */
export interface KeptFacts
  extends Pick<Lifecycle, 'attempts' | 'maxRetries' | 'expiresAt' | 'endedAt' | 'lastError' | 'parentSessionId'> {
  readonly status: SessionStatus
  readonly branchSourceEventId: string | null
  readonly branchResumeCursor: string | null
}

/** Rows that an older version wrote lack the newer fields. */
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

/** The tokens and the cost of a session in a list. */
export interface UsageSummary {
  /** The tokens of all model calls, including delegated work. */
  readonly total_tokens: number
  /** The cost in US dollars; null = unknown. */
  readonly cost_usd: number | null
}

/** The step that the work of a session has reached. */
export interface StepSummary {
  /** The number of the step, from 1. */
  readonly index: number
  /** The number of steps; null = not known. */
  readonly total: number | null
  /** The title of the step. */
  readonly title: string
  /** The status, in the agent's own word. */
  readonly status: string
}

/** The part of the health that lists show. */
export interface HealthSummary extends Pick<HealthSnapshot, 'score' | 'flags' | 'hint' | 'budget_pressure'> {
  readonly recovery_action: string | null
}
