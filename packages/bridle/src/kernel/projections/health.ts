// What health is made of: counters and timestamps, and no ages, so that a snapshot of it changes only when something really
// changed.
import { cut } from '../cut.ts'
import type { AnyEvent } from '../event.ts'
import { canonical, hashText, type Json } from '../json.ts'
import { AUDIT_MAX, BRIEF_CHARS, MEMORY_MAX } from '../limits.ts'
import type { Budget } from '../schemas.ts'
import { type AuditRow, auditRow } from './audit.ts'
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
  /** Budgets crossed and not yet raised; in older logs, by how many steps each was raised; the limits that were granted. */
  readonly crossed: { readonly [budget in Budget]?: number }
  readonly raised: { readonly [budget in Budget]?: number }
  readonly granted: { readonly [budget in Budget]?: number }
  /** A hash of the last `health_changed`, to tell whether it changed. */
  readonly told: string | null
  /** The number of the event that `activeAt` is of. */
  readonly activeSeq: number
  /** The last event that speaks for each finding: what one would want to look at. */
  readonly proof: { readonly [subject in Subject]?: number }
  readonly memory: Memory
  /** What was decided about the session and by whom; the newest, oldest first. */
  readonly audit: readonly AuditRow[]
}

export type Subject =
  | 'failed'
  | 'stuck'
  | 'budget'
  | 'waiting'
  | 'transport'
  | 'retries'
  | 'tools'
  | 'loops'
  | 'plans'
  | 'context'

/** Where what the agent knows came from, and what it would like to remember. */
export interface Memory {
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
    granted: {},
    told: null,
    activeSeq: 0,
    proof: {},
    memory: { retrievals: 0, citations: 0, proposals: 0, latest: [] },
    audit: [],
  },
  on: {
    run_requested: (state, { seq, at }) => ({ ...state, runningSince: at, activeAt: at, activeSeq: seq }),
    run_parked: (state, { at }) => rested(state, at),
    retry_scheduled: (state, event) =>
      shown({ ...rested(state, event.at), retries: state.retries + 1 }, 'retries', event),
    turn_start: (state) => ({ ...state, evidence: false, lastCall: null }),
    turn_end: (state, { at }) => rested(state, at),
    usage: (state, { payload }) => ({
      ...state,
      tokens: state.tokens + (payload.total_tokens ?? (payload.input_tokens ?? 0) + (payload.output_tokens ?? 0)),
      costUsd: state.costUsd + (payload.cost_usd ?? 0),
      contextPct: payload.context_usage_pct ?? state.contextPct,
    }),
    context_warning: (state, event) => ({
      ...shown(state, event.payload.kind === 'loop' ? 'loops' : 'context', event),
      contextPct: event.payload.usage_pct ?? state.contextPct,
      loopWarnings: state.loopWarnings + (event.payload.kind === 'loop' ? 1 : 0),
    }),
    context_compacted: (state) => (state.contextPct === 0 ? state : { ...state, contextPct: 0 }),
    tool_call: (state, event) => {
      const { payload } = event
      const { _tool_call_id, ...given } = payload.arguments as Record<string, Json>
      const hash = hashText(canonical([payload.name, given]))
      const times = state.lastCall?.hash === hash ? state.lastCall.times + 1 : 1
      // The third identical call in a row is a loop; each further third is another warning.
      const called = { ...state, lastCall: { hash, times } }
      return times % 3 === 0 ? shown({ ...called, loopWarnings: state.loopWarnings + 1 }, 'loops', event) : called
    },
    tool_outcome: (state, event) => {
      const { status, elapsed_ms } = event.payload
      const failed = status === 'error' || status === 'timeout'
      return {
        ...(failed ? shown(state, 'tools', event) : state),
        evidence: state.evidence || status === 'ok' || status === 'artifact',
        failedTools: state.failedTools + (failed ? 1 : 0),
        slowestToolMs: Math.max(state.slowestToolMs, elapsed_ms ?? 0),
      }
    },
    retrieval: (state, { seq, payload }) => {
      const { memory } = state
      const found = payload.citations?.length ?? 0
      return {
        ...state,
        evidence: true,
        memory: {
          ...remembered(memory, { kind: 'retrieval', seq, summary: brief(payload.query ?? '') }),
          retrievals: memory.retrievals + 1,
          citations: memory.citations + found,
        },
      }
    },
    artifact_published: (state, { seq, payload }) => {
      const { memory } = state
      if (payload.kind !== 'memory_proposal') return state
      const proposal = { kind: 'proposal' as const, seq, summary: brief(payload.name) }
      return { ...state, memory: { ...remembered(memory, proposal), proposals: memory.proposals + 1 } }
    },
    response: (state) => (state.evidence ? state : { ...state, withoutEvidence: state.withoutEvidence + 1 }),
    step_progress: (state, event) => {
      if (event.payload.plan === undefined) return state
      const plan = hashText(canonical(event.payload.plan))
      if (plan !== state.lastPlan) return { ...state, lastPlan: plan }
      return shown({ ...state, repeatedPlans: state.repeatedPlans + 1 }, 'plans', event)
    },
    transport_diagnostic: (state, event) => {
      const { status, reason, kind } = event.payload
      if (status !== 'degraded') return state.degraded === null ? state : { ...state, degraded: null }
      return shown({ ...state, degraded: reason ?? kind }, 'transport', event)
    },
    budget_crossed: (state, event) => {
      const { budget, limit } = event.payload
      return shown({ ...state, crossed: { ...state.crossed, [budget]: limit } }, 'budget', event)
    },
    approval_required: (state, event) => shown(state, 'waiting', event),
    error: (state, event) => shown(state, 'failed', event),
    // An approval raises what was crossed and arms it again.
    budget_raised: (state, event) => {
      const { steps, limits } = event.payload
      if (limits) return { ...state, granted: { ...state.granted, ...limits }, crossed: {} }
      const more = (Object.keys(state.crossed) as Budget[]).map((budget) => [
        budget,
        (state.raised[budget] ?? 0) + (steps?.[budget] ?? 1),
      ])
      return {
        ...state,
        raised: { ...state.raised, ...Object.fromEntries(more) },
        crossed: {},
      }
    },
    policy_set: (state) => ({ ...state, crossed: {}, raised: {}, granted: {} }),
    health_changed: (state, { payload }) => ({ ...state, told: healthText(payload) }),
    branched: () => healthFold.initial,
  },
}

/** Equal for equal snapshots. They are made by one function, so their names are always in the same order. */
export const healthText = (snapshot: unknown): string => hashText(JSON.stringify(snapshot))

const shown = (state: HealthFold, subject: Subject, { seq }: { readonly seq: number }): HealthFold => ({
  ...state,
  proof: { ...state.proof, [subject]: seq },
})

/** Adds the row of a decision; any other event leaves the fold as it is. */
export const withAudit = (fold: HealthFold, event: AnyEvent): HealthFold => {
  const row = auditRow(event)
  return row ? { ...fold, audit: [...fold.audit.slice(1 - AUDIT_MAX), row] } : fold
}

const remembered = (memory: Memory, source: Memory['latest'][number]): Memory => ({
  ...memory,
  latest: [...memory.latest.slice(1 - MEMORY_MAX), source],
})

const brief = (text: string): string => cut(text, BRIEF_CHARS)

/** Any event of a run is a sign of life. Whole seconds, so that tokens do not rewrite the fold each time. */
export const withActivity = (fold: HealthFold, event: { seq: number; at: number; run?: string }): HealthFold =>
  event.run === undefined || event.at < fold.activeAt + 1_000
    ? fold
    : { ...fold, activeAt: event.at, activeSeq: event.seq }

export const ranMs = (fold: HealthFold, now: number): number =>
  fold.ranMs + (fold.runningSince === null ? 0 : Math.max(0, now - fold.runningSince))

const rested = (state: HealthFold, at: number): HealthFold =>
  state.runningSince === null ? state : { ...state, ranMs: ranMs(state, at), runningSince: null }
