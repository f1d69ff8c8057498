import type { BudgetName } from '@bridle/events/schemas'
import { runtimeMs } from './health.ts'
import type { EvidenceSubject, HealthFold } from './health-state.ts'

interface BudgetMeasure {
  readonly value: (fold: HealthFold, score: number, now: number) => number
  /** The event that proves the budget is over before `budget_crossed` does. Null if no single event does. */
  readonly evidence: EvidenceSubject | null
}

export const budgetMeasures: { readonly [budget in BudgetName]: BudgetMeasure } = {
  min_score: { value: (_fold, score) => score, evidence: null },
  max_runtime_minutes: { value: (fold, _score, now) => runtimeMs(fold, now) / 60_000, evidence: null },
  max_total_tokens: { value: (fold) => fold.tokens, evidence: 'spending' },
  max_cost_usd: { value: (fold) => fold.costUsd, evidence: 'spending' },
  max_context_usage_pct: { value: (fold) => fold.contextPct, evidence: 'context' },
  max_failed_tool_calls: { value: (fold) => fold.failedTools, evidence: 'tools' },
  max_loop_warnings: { value: (fold) => fold.loopWarnings, evidence: 'loops' },
  max_repeated_plan_events: { value: (fold) => fold.repeatedPlans, evidence: 'plans' },
  max_tool_latency_ms: { value: (fold) => fold.slowestToolMs, evidence: null },
  max_events_without_evidence: { value: (fold) => fold.withoutEvidence, evidence: null },
}
