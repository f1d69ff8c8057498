// Timestamps instead of ages, so that snapshots change only with facts.

import type { BudgetName } from '@bridle/events/schemas'
import type { FindingFacts, FindingSubject } from '@bridle/words/health'
import type { AuditRow } from '../indexes/audit.ts'

export interface HealthFold
  extends Pick<FindingFacts, 'failedTools' | 'retries' | 'loopWarnings' | 'repeatedPlans' | 'degraded'> {
  /** Duration of earlier runs. */
  readonly ranMs: number
  readonly runningSince: number | null
  readonly activeAt: number
  readonly tokens: number
  readonly costUsd: number
  /** The estimated part of this attempt's cost, which a correction may take back. */
  readonly estimatedUsd: number
  readonly contextPct: number
  /** Calls that end because a person cancelled or paused the run have not failed. */
  readonly isStoppedByPerson: boolean
  readonly slowestToolMs: number
  /** Consecutive events; a stretch of text or thinking counts once. */
  readonly withoutEvidence: number
  /** Whether this turn has evidence to support its text. */
  readonly evidence: boolean
  readonly unprovenStretch: 'text' | 'thinking' | null
  /** Penalties at the start of the turn. */
  readonly penaltiesBefore: number
  readonly forgiven: { readonly [trouble in PenaltyCounter]: number }
  /** Set while another model replaces the agent's first one. */
  readonly fallback: { readonly reason: string; readonly seq: number } | null
  /** Degraded until the provider answers. */
  readonly retrying: boolean
  readonly lastCall: { readonly hash: string; readonly times: number } | null
  readonly lastPlan: string | null
  /** Crossed and not yet raised; number of grants (older logs only); granted limits. */
  readonly crossed: { readonly [budget in BudgetName]?: number }
  readonly raised: { readonly [budget in BudgetName]?: number }
  readonly granted: { readonly [budget in BudgetName]?: number }
  /** Hash of the last `health_changed`. */
  readonly publishedHash: string | null
  /** The run's last visible event, approximately. */
  readonly activeSeq: number
  /** Latest evidence for each finding, and for spending. */
  readonly evidenceSeqs: { readonly [subject in EvidenceSubject]?: number }
  readonly memory: MemoryProvenance
  /** The newest decisions, in order. */
  readonly audit: readonly AuditRow[]
}

/** Lower the score until clean turns forgive them. */
export type PenaltyCounter = 'failedTools' | 'retries' | 'loopWarnings' | 'repeatedPlans'

export type EvidenceSubject = FindingSubject | 'spending'

/** Where the agent's memory comes from. */
export interface MemoryProvenance {
  readonly retrievals: number
  readonly citations: number
  readonly proposals: number
  /** The newest entries, in order. */
  readonly latest: readonly {
    readonly kind: 'retrieval' | 'proposal'
    readonly seq: number
    readonly summary: string
  }[]
}
