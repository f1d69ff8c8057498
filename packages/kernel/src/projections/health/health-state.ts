// The state behind a session's health: counters and timestamps. Types only: health.ts says how events change it. No ages, so
// that a snapshot changes only with a fact.

import type { BudgetName } from '@bridle/events/schemas'
import type { FindingFacts, FindingSubject } from '@bridle/words/health'
import type { AuditRow } from '../indexes/audit.ts'

export interface HealthFold
  extends Pick<FindingFacts, 'failedTools' | 'retries' | 'loopWarnings' | 'repeatedPlans' | 'degraded'> {
  /** Time of earlier runs, and the start of the current one. */
  readonly ranMs: number
  readonly runningSince: number | null
  readonly activeAt: number
  readonly tokens: number
  readonly costUsd: number
  /** The estimated part of this attempt: a correction takes back at most this much. */
  readonly estimatedUsd: number
  readonly contextPct: number
  /** A person has cancelled or paused the run: the calls that end with it have not failed. */
  readonly isStoppedByPerson: boolean
  readonly slowestToolMs: number
  /** Consecutive events without evidence; a stretch of text or thinking counts as one. */
  readonly withoutEvidence: number
  /** Whether this turn has evidence, on which its text may rest. */
  readonly evidence: boolean
  readonly unprovenStretch: 'text' | 'thinking' | null
  /** Penalties at the start of the turn, and how many of each kind clean turns have forgiven. */
  readonly penaltiesBefore: number
  readonly forgiven: { readonly [trouble in PenaltyCounter]: number }
  /** Another model answers in place of the agent's first one: why, and the event that says so. Degraded until the first one answers. */
  readonly fallback: { readonly reason: string; readonly seq: number } | null
  /** Degraded until the provider answers. */
  readonly retrying: boolean
  readonly lastCall: { readonly hash: string; readonly times: number } | null
  readonly lastPlan: string | null
  /** Crossed budgets that are not raised yet; in older logs, the number of grants; the granted limits. */
  readonly crossed: { readonly [budget in BudgetName]?: number }
  readonly raised: { readonly [budget in BudgetName]?: number }
  readonly granted: { readonly [budget in BudgetName]?: number }
  /** A hash of the last `health_changed`, to detect a change. */
  readonly publishedHash: string | null
  /** The number of the run's last visible event, approximately; 0: none yet. */
  readonly activeSeq: number
  /** The last event that supports each finding, and the last one that spent tokens or money. */
  readonly evidenceSeqs: { readonly [subject in EvidenceSubject]?: number }
  readonly memory: MemoryProvenance
  /** The newest decisions about the session, oldest first. */
  readonly audit: readonly AuditRow[]
}

/** Counters that lower the score until clean turns forgive them. */
export type PenaltyCounter = 'failedTools' | 'retries' | 'loopWarnings' | 'repeatedPlans'

export type EvidenceSubject = FindingSubject | 'spending'

/** The sources of the agent's memory, and what it proposes to remember. */
export interface MemoryProvenance {
  readonly retrievals: number
  readonly citations: number
  readonly proposals: number
  /** The newest, oldest first. */
  readonly latest: readonly {
    readonly kind: 'retrieval' | 'proposal'
    readonly seq: number
    readonly summary: string
  }[]
}
