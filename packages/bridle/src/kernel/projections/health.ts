// Health. The fold keeps counters and timestamps; `health(fold, …, now)` is pure and holds no ages, so a snapshot
// changes only when something really changed. Score: 100 less the penalties below, each with its reason.
import { canonical, hashText, type Json } from '../json.ts'
import { STUCK_MS } from '../limits.ts'
import type { Budget, Policy, SessionStatus } from '../schemas.ts'
import type { Projection } from './projection.ts'

export interface HealthFold {
  /** Time run before the present run, and when that began. */
  readonly ranMs: number
  readonly runningSince: number | null
  readonly activeAt: number
  readonly tokens: number
  readonly costUsd: number
  readonly contextPct: number
  readonly failedTools: number
  readonly retries: number
  readonly loopWarnings: number
  readonly repeatedPlans: number
  readonly slowestToolMs: number
  /** Responses of turns in which nothing was looked up. */
  readonly withoutEvidence: number
  readonly evidence: boolean
  readonly degraded: string | null
  readonly lastCall: { readonly hash: string; readonly times: number } | null
  readonly lastPlan: string | null
  /** Budgets crossed and not yet raised, and how many steps each was raised by approvals. */
  readonly crossed: { readonly [budget in Budget]?: number }
  readonly raised: { readonly [budget in Budget]?: number }
  /** The last `health_changed`, to tell whether it changed. */
  readonly told: string | null
}

export interface Health {
  readonly score: number
  readonly flags: readonly string[]
  readonly reasons: readonly string[]
  readonly hint: string | null
}

export const healthFold: Projection<HealthFold> = {
  initial: {
    ranMs: 0,
    runningSince: null,
    activeAt: 0,
    tokens: 0,
    costUsd: 0,
    contextPct: 0,
    failedTools: 0,
    retries: 0,
    loopWarnings: 0,
    repeatedPlans: 0,
    slowestToolMs: 0,
    withoutEvidence: 0,
    evidence: false,
    degraded: null,
    lastCall: null,
    lastPlan: null,
    crossed: {},
    raised: {},
    told: null,
  },
  on: {
    run_requested: (state, { at }) => ({ ...state, runningSince: at, activeAt: at }),
    run_parked: (state, { at }) => rested(state, at),
    retry_scheduled: (state, { at }) => ({ ...rested(state, at), retries: state.retries + 1 }),
    turn_start: (state) => ({ ...state, evidence: false, lastCall: null }),
    turn_end: (state, { at }) => rested(state, at),
    usage: (state, { payload }) => ({
      ...state,
      tokens: state.tokens + (payload.total_tokens ?? (payload.input_tokens ?? 0) + (payload.output_tokens ?? 0)),
      costUsd: state.costUsd + (payload.cost_usd ?? 0),
      contextPct: payload.context_usage_pct ?? state.contextPct,
    }),
    context_warning: (state, { payload }) => ({
      ...state,
      contextPct: payload.usage_pct ?? state.contextPct,
      loopWarnings: state.loopWarnings + (payload.kind === 'loop' ? 1 : 0),
    }),
    context_compacted: (state) => (state.contextPct === 0 ? state : { ...state, contextPct: 0 }),
    tool_call: (state, { payload }) => {
      const { _tool_call_id, ...given } = payload.arguments as Record<string, Json>
      const hash = hashText(canonical([payload.name, given]))
      const times = state.lastCall?.hash === hash ? state.lastCall.times + 1 : 1
      // The third identical call in a row is a loop; each further third is another warning.
      return { ...state, lastCall: { hash, times }, loopWarnings: state.loopWarnings + (times % 3 === 0 ? 1 : 0) }
    },
    tool_outcome: (state, { payload }) => ({
      ...state,
      evidence: state.evidence || payload.status === 'ok' || payload.status === 'artifact',
      failedTools: state.failedTools + (payload.status === 'error' || payload.status === 'timeout' ? 1 : 0),
      slowestToolMs: Math.max(state.slowestToolMs, payload.elapsed_ms ?? 0),
    }),
    retrieval: (state) => (state.evidence ? state : { ...state, evidence: true }),
    response: (state) => (state.evidence ? state : { ...state, withoutEvidence: state.withoutEvidence + 1 }),
    step_progress: (state, { payload }) => {
      if (payload.plan === undefined) return state
      const plan = hashText(canonical(payload.plan))
      return { ...state, lastPlan: plan, repeatedPlans: state.repeatedPlans + (plan === state.lastPlan ? 1 : 0) }
    },
    transport_diagnostic: (state, { payload }) => ({
      ...state,
      degraded: payload.status === 'degraded' ? (payload.reason ?? payload.kind) : null,
    }),
    budget_crossed: (state, { payload }) => ({
      ...state,
      crossed: { ...state.crossed, [payload.budget]: payload.limit },
    }),
    // An approval raises what was crossed by one step and arms it again.
    budget_raised: (state) => ({
      ...state,
      raised: Object.fromEntries(
        [...new Set([...Object.keys(state.raised), ...Object.keys(state.crossed)])].map((name) => [
          name,
          (state.raised[name as Budget] ?? 0) + (name in state.crossed ? 1 : 0),
        ]),
      ),
      crossed: {},
    }),
    policy_set: (state) => ({ ...state, crossed: {}, raised: {} }),
    health_changed: (state, { payload }) => ({ ...state, told: healthText(payload) }),
    branched: () => healthFold.initial,
  },
}

export const healthText = ({
  score,
  flags,
  reasons,
  hint,
}: {
  score: number
  flags: readonly string[]
  reasons: readonly string[]
  hint?: string | null | undefined
}): string => JSON.stringify([score, flags, reasons, hint ?? null])

/** A line per penalty: when it holds, what it costs, and what to do. */
export const health = (fold: HealthFold, status: SessionStatus, now: number): Health => {
  const stuck = status === 'running' && now >= fold.activeAt + STUCK_MS
  const crossed = Object.keys(fold.crossed)
  const findings: readonly [boolean, number, string | null, string, string | null][] = [
    [status === 'failed', 40, null, 'the last turn failed', 'branch from the last resume point or submit again'],
    [stuck, 30, 'stuck', 'running without any event for five minutes', 'cancel or pause the run'],
    [crossed.length > 0, 20, 'budget', `over budget: ${crossed.join(', ')}`, 'approve more budget or cancel'],
    [status === 'awaiting_approval', 0, 'waiting', 'waiting for an approval', 'answer the approval'],
    [fold.degraded !== null, 15, 'degraded', `degraded: ${fold.degraded}`, null],
    [
      fold.retries > 0,
      Math.min(30, 10 * fold.retries),
      fold.retries > 1 ? 'degraded' : null,
      `${fold.retries} retries`,
      null,
    ],
    [fold.failedTools > 0, Math.min(30, 5 * fold.failedTools), null, `${fold.failedTools} failed tool calls`, null],
    [fold.loopWarnings > 0, Math.min(20, 10 * fold.loopWarnings), null, `${fold.loopWarnings} loop warnings`, null],
    [fold.repeatedPlans > 0, Math.min(10, 2 * fold.repeatedPlans), null, `${fold.repeatedPlans} repeated plans`, null],
    [fold.contextPct >= 90, 10, 'degraded', 'the context is nearly full', 'compact or branch'],
  ]
  const holding = findings.filter(([holds]) => holds)
  return {
    score: Math.max(
      0,
      holding.reduce((score, [, penalty]) => score - penalty, 100),
    ),
    flags: [...new Set(holding.flatMap(([, , flag]) => (flag ? [flag] : [])))].sort(),
    reasons: holding.map(([, , , reason]) => reason),
    hint: holding.find(([, , , , hint]) => hint)?.[4] ?? null,
  }
}

/** What each budget measures now. `min_score` is crossed below its limit, all others above. */
const measures: { readonly [budget in Budget]: (fold: HealthFold, score: number, now: number) => number } = {
  min_score: (_fold, score) => score,
  max_runtime_minutes: (fold, _score, now) => ranMs(fold, now) / 60_000,
  max_total_tokens: (fold) => fold.tokens,
  max_cost_usd: (fold) => fold.costUsd,
  max_context_usage_pct: (fold) => fold.contextPct,
  max_failed_tool_calls: (fold) => fold.failedTools,
  max_loop_warnings: (fold) => fold.loopWarnings,
  max_repeated_plan_events: (fold) => fold.repeatedPlans,
  max_tool_latency_ms: (fold) => fold.slowestToolMs,
  max_events_without_evidence: (fold) => fold.withoutEvidence,
}

/** The limit in force: one more step of the policy's own size for each time it was raised. */
const limitOf = (fold: HealthFold, budget: Budget, limit: number): number => {
  const steps = fold.raised[budget] ?? 0
  // A limit of zero grows by one: it has no size of its own.
  return budget === 'min_score' ? limit / 2 ** steps : limit + steps * (limit || 1)
}

/** Budgets crossed now that were not crossed before: each is told once until it is raised. */
export const newlyCrossed = (
  fold: HealthFold,
  policy: Policy,
  status: SessionStatus,
  now: number,
): readonly { readonly budget: Budget; readonly limit: number; readonly value: number }[] => {
  if (!policy.health) return []
  const { score } = health(fold, status, now)
  return budgetsOf(policy).flatMap(([budget, given]) => {
    const limit = limitOf(fold, budget, given)
    const value = measures[budget](fold, score, now)
    const over = budget === 'min_score' ? value < limit : value > limit
    return over && !(budget in fold.crossed) ? [{ budget, limit, value }] : []
  })
}

/** The next moment at which health can change though nothing happens; null = only by an event. */
export const healthWake = (fold: HealthFold, policy: Policy, status: SessionStatus, now: number): number | null => {
  if (status !== 'running' || fold.runningSince === null) return null
  const moments = [fold.activeAt + STUCK_MS]
  const minutes = policy.health?.max_runtime_minutes
  if (minutes !== undefined) {
    const limitMs = limitOf(fold, 'max_runtime_minutes', minutes) * 60_000
    moments.push(Math.floor(fold.runningSince + limitMs - fold.ranMs) + 1)
  }
  const ahead = moments.filter((moment) => moment > now)
  return ahead.length === 0 ? null : Math.min(...ahead)
}

/** Any event of a run is a sign of life. Whole seconds, so that tokens do not rewrite the fold each time. */
export const withActivity = (fold: HealthFold, event: { at: number; run?: string }): HealthFold =>
  event.run === undefined || event.at < fold.activeAt + 1_000 ? fold : { ...fold, activeAt: event.at }

const budgetsOf = (policy: Policy): [Budget, number][] =>
  (Object.keys(measures) as Budget[]).flatMap((budget) => {
    const limit = policy.health?.[budget]
    return typeof limit === 'number' ? [[budget, limit] as [Budget, number]] : []
  })

const ranMs = (fold: HealthFold, now: number): number =>
  fold.ranMs + (fold.runningSince === null ? 0 : Math.max(0, now - fold.runningSince))

const rested = (state: HealthFold, at: number): HealthFold =>
  state.runningSince === null ? state : { ...state, ranMs: ranMs(state, at), runningSince: null }
