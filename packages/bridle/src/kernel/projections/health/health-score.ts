// The health score: 100 minus penalties, each with a reason, the event that shows it, and what to do about it.

import { budgetNameText } from '../../../words/budgets.ts'
import { STUCK_MS } from '../../limits.ts'
import type { BudgetName, SessionStatus } from '../../schemas.ts'
import type { Lifecycle } from '../lifecycle-state.ts'
import { withoutForgiven } from './health.ts'
import type { EvidenceSubject, FindingSubject, HealthFold } from './health-state.ts'

/** The flags that a finding may raise. */
export const HEALTH_FLAGS = ['stuck', 'budget', 'waiting', 'degraded'] as const
export type HealthFlag = (typeof HEALTH_FLAGS)[number]

export interface HealthReport {
  readonly score: number
  readonly flags: readonly HealthFlag[]
  readonly reasons: readonly string[]
  readonly hint: string | null
  readonly findings: readonly HealthFinding[]
}

/** A penalty that holds now: its cost, its flag, and the event that shows it. */
export interface HealthFinding {
  readonly subject: FindingSubject
  readonly points: number
  readonly flag: HealthFlag | null
  readonly reason: string
  readonly hint: string | null
  readonly evidenceSeq: number | null
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/**
 * The table of penalties: condition, cost, and hint. `over` are budgets above their limit for which nothing was stopped yet: a turn
 * may end over its budget. Only words depend on the kind.
 */
export const assessHealth = (
  whole: HealthFold,
  status: SessionStatus,
  now: number,
  over: readonly BudgetName[] = [],
  kind: Lifecycle['kind'] = 'chat',
): HealthReport => {
  const fold = withoutForgiven(whole)
  // A run that waits has no running clock.
  const stuck = status === 'running' && fold.runningSince !== null && now >= fold.activeAt + STUCK_MS
  const noticed = Object.keys(fold.crossed)
  const crossed = [...new Set([...noticed, ...over])]
  const lines: readonly [FindingSubject, boolean, number, HealthFlag | null, string, string | null][] = [
    ['failed', status === 'failed', 40, null, 'the last turn failed', failedHints[kind]],
    ['stuck', stuck, 30, 'stuck', 'running without any event for five minutes', 'cancel or pause the run'],
    [
      'budget',
      crossed.length > 0,
      20,
      'budget',
      `over budget: ${crossed.map(budgetNameText).join(', ')}`,
      (noticed.length > 0 ? crossedHints[status] : undefined) ?? overHints[status] ?? null,
    ],
    ['waiting', status === 'awaiting_approval', 0, 'waiting', 'waiting for an approval', 'answer the approval'],
    ['transport', fold.degraded !== null, 15, 'degraded', `degraded: ${fold.degraded}`, null],
    [
      'retries',
      fold.retries > 0,
      Math.min(30, 10 * fold.retries),
      fold.retries > 1 ? 'degraded' : null,
      counted(fold.retries, 'retry', 'retries'),
      null,
    ],
    [
      'tools',
      fold.failedTools > 0,
      Math.min(30, 5 * fold.failedTools),
      null,
      counted(fold.failedTools, 'failed tool call'),
      null,
    ],
    [
      'loops',
      fold.loopWarnings > 0,
      Math.min(20, 10 * fold.loopWarnings),
      null,
      counted(fold.loopWarnings, 'loop warning'),
      null,
    ],
    [
      'plans',
      fold.repeatedPlans > 0,
      Math.min(10, 2 * fold.repeatedPlans),
      null,
      counted(fold.repeatedPlans, 'repeated plan'),
      null,
    ],
    ['context', fold.contextPct >= 90, 10, 'degraded', 'the context is nearly full', 'compact or branch'],
  ]
  const proofOf = (subject: FindingSubject): number | undefined => {
    if (subject === 'stuck') return fold.activeSeq
    const [first] = over
    const shown = subject === 'budget' && noticed.length === 0 && first ? evidenceOf[first] : subject
    return shown === null ? undefined : fold.evidenceSeqs[shown]
  }
  const findings = lines
    .filter(([, holds]) => holds)
    .map(([subject, , points, flag, reason, hint]): HealthFinding => {
      return { subject, points, flag, reason, hint, evidenceSeq: proofOf(subject) ?? null }
    })
  return {
    score: Math.max(
      0,
      findings.reduce((score, { points }) => score - points, 100),
    ),
    flags: [...new Set(findings.flatMap(({ flag }) => (flag ? [flag] : [])))].sort(),
    reasons: findings.map(({ reason }) => reason),
    hint: findings.find(({ hint }) => hint)?.hint ?? null,
    findings,
  }
}

/** Background work that failed has ended, and takes no further prompt. */
const failedHints: { readonly [kind in Lifecycle['kind']]: string } = {
  chat: 'send the prompt again, or branch from an earlier point',
  background: 'branch from it to go on',
}

/** A stop for the budget asks or pauses. Without an open question, resuming grants one more limit on top of the amount spent. */
const crossedHints: { readonly [status in SessionStatus]?: string } = {
  awaiting_approval: 'approve more budget or cancel',
  paused: 'resume to grant more budget, raise the policy or cancel',
}

/** The next turn would ask. A run over its budget ends or asks by itself, an open approval comes first, and ended work needs nothing. */
const RAISE = 'raise the limit in the policy or branch'
const overHints: { readonly [status in SessionStatus]?: string } = { idle: RAISE, queued: RAISE, paused: RAISE }

/** The event that shows a budget to be over, before a `budget_crossed` says so; null = no single event does. */
const evidenceOf: { readonly [budget in BudgetName]: EvidenceSubject | null } = {
  min_score: null,
  max_runtime_minutes: null,
  max_total_tokens: 'spending',
  max_cost_usd: 'spending',
  max_context_usage_pct: 'context',
  max_failed_tool_calls: 'tools',
  max_loop_warnings: 'loops',
  max_repeated_plan_events: 'plans',
  max_tool_latency_ms: null,
  max_events_without_evidence: null,
}
