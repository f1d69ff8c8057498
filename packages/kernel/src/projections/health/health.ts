import { inTier } from '@bridle/events/catalogue'
import { canonicalJson, hashText } from '@bridle/events/json'
import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import type { BudgetName, Payloads } from '@bridle/events/schemas'
import { type AnyEvent, BRANCHED } from '../../event.ts'
import { withoutCallId } from '../../ids.ts'
import { truncate } from '../../text/truncate.ts'
import { SPOKEN_AUDIO } from '../indexes/artifacts.ts'
import { auditRow } from '../indexes/audit.ts'
import type { Projection } from '../projection.ts'
import type { EvidenceSubject, HealthFold, MemoryProvenance, PenaltyCounter } from './health-state.ts'

/** Bound the health snapshot, which every change rewrites. */
const AUDIT_MAX = 12
const MEMORY_MAX = 5

const PENALTY_COUNTERS: readonly PenaltyCounter[] = ['failedTools', 'retries', 'loopWarnings', 'repeatedPlans']

export const healthFold: Projection<HealthFold> = {
  initial: {
    ranMs: 0,
    runningSince: null,
    activeAt: 0,
    tokens: 0,
    costUsd: 0,
    estimatedUsd: 0,
    contextPct: 0,
    failedTools: 0,
    isStoppedByPerson: false,
    retries: 0,
    loopWarnings: 0,
    repeatedPlans: 0,
    slowestToolMs: 0,
    withoutEvidence: 0,
    evidence: false,
    unprovenStretch: null,
    penaltiesBefore: 0,
    forgiven: { failedTools: 0, retries: 0, loopWarnings: 0, repeatedPlans: 0 },
    degraded: null,
    fallback: null,
    retrying: false,
    lastCall: null,
    lastPlan: null,
    crossed: {},
    raised: {},
    granted: {},
    publishedHash: null,
    activeSeq: 0,
    evidenceSeqs: {},
    memory: { retrievals: 0, citations: 0, proposals: 0, latest: [] },
    audit: [],
  },
  on: {
    run_requested: (state, { at }) => ({
      ...state,
      runningSince: at,
      activeAt: at,
      activeSeq: 0,
      estimatedUsd: 0,
      isStoppedByPerson: false,
    }),
    // The outcomes of stopped calls follow these two events. A cancelled prompt in the queue has no run.
    cancel_requested: (state, { run }) => (run === undefined ? state : { ...state, isStoppedByPerson: true }),
    session_paused: (state, { payload }) => (payload.operator ? { ...state, isStoppedByPerson: true } : state),
    run_parked: (state, { at }) => withStoppedClock({ ...state, isStoppedByPerson: false }, at),
    run_waiting: (state, { at }) => withStoppedClock(state, at),
    run_woken: (state, { at }) => ({ ...state, runningSince: at, activeAt: at }),
    retry_scheduled: (state, event) =>
      withEvidenceAt({ ...withStoppedClock(state, event.at), retries: state.retries + 1 }, 'retries', event),
    // Until there is output, clients see only the status card.
    session_state: (state, { seq }) => (state.activeSeq === 0 ? { ...state, activeSeq: seq } : state),
    turn_start: (state) => ({
      ...state,
      evidence: false,
      unprovenStretch: null,
      lastCall: null,
      penaltiesBefore: sumPenalties(state),
    }),
    turn_end: (state, { at, payload }) => {
      const ended = withStoppedClock(withProviderAnswer(state), at)
      return payload.status === 'completed' && sumPenalties(state) === state.penaltiesBefore
        ? forgiveHalf(ended)
        : ended
    },
    token: (state) => withAnswerText(withProviderAnswer(state)),
    // Repeated text is not an answer yet. A second answer counts separately.
    response: (state, { payload }) => (payload.so_far ? state : withoutStretch(withAnswerText(state))),
    thinking: (state) => withUnprovenEvent(withProviderAnswer(state), 'thinking'),
    reflection: (state) => withUnprovenEvent(state, 'thinking'),
    usage: (state, event) => ({
      ...(event.payload.context_usage_pct === undefined
        ? withEvidenceAt(withProviderAnswer(state), 'spending', event)
        : withEvidenceAt(withEvidenceAt(withProviderAnswer(state), 'spending', event), 'context', event)),
      tokens: state.tokens + tokensIn(event.payload),
      costUsd: state.costUsd + Math.max(event.payload.cost_usd ?? 0, -state.estimatedUsd),
      estimatedUsd: event.payload.estimated ? state.estimatedUsd + (event.payload.cost_usd ?? 0) : 0,
      contextPct: event.payload.context_usage_pct ?? state.contextPct,
    }),
    // Work of a child counts as work of its parent.
    subagent_event: (state, event) => {
      const { usage } = event.payload
      return usage === undefined
        ? state
        : {
            ...withEvidenceAt(state, 'spending', event),
            tokens: state.tokens + usage.total_tokens,
            costUsd: state.costUsd + usage.cost_usd,
            ranMs: state.ranMs + usage.runtime_ms,
          }
    },
    context_warning: (state, event) => {
      const { kind, usage_pct, tool_call_id } = event.payload
      // Loops of native agents are counted by `tool_call`.
      const isLoop = kind === 'loop' && tool_call_id === undefined
      const withLoop = isLoop ? withEvidenceAt(state, 'loops', event) : state
      return {
        ...(kind === 'loop' && usage_pct === undefined ? withLoop : withEvidenceAt(withLoop, 'context', event)),
        contextPct: usage_pct ?? state.contextPct,
        loopWarnings: state.loopWarnings + (isLoop ? 1 : 0),
      }
    },
    context_compacted: (state) => (state.contextPct === 0 ? state : { ...state, contextPct: 0 }),
    tool_call: (before, event) => {
      const state = withProviderAnswer(before)
      const { payload } = event
      const hash = hashText(canonicalJson([payload.name, withoutCallId(payload.arguments)]))
      const times = state.lastCall?.hash === hash ? state.lastCall.times + 1 : 1
      // Every third identical call in a row is a loop.
      const called = { ...withUnprovenEvent(state, null), lastCall: { hash, times } }
      return times % 3 === 0
        ? withEvidenceAt({ ...called, loopWarnings: state.loopWarnings + 1 }, 'loops', event)
        : called
    },
    tool_outcome: (state, event) => {
      const { status, elapsed_ms, reason: why } = event.payload
      if (why === BRANCHED || state.isStoppedByPerson) return state
      const failed = status === 'error' || status === 'timeout'
      const hasResult = status === 'ok' || status === 'artifact'
      return {
        ...(hasResult
          ? withEvidence(state)
          : withUnprovenEvent(failed ? withEvidenceAt(state, 'tools', event) : state, null)),
        failedTools: state.failedTools + (failed ? 1 : 0),
        slowestToolMs: Math.max(state.slowestToolMs, elapsed_ms ?? 0),
      }
    },
    retrieval: (state, { seq, payload }) => {
      const { memory } = state
      const found = payload.citations?.length ?? 0
      return {
        ...withEvidence(state),
        memory: {
          ...withMemorySource(memory, { kind: 'retrieval', seq, summary: brief(payload.query ?? '') }),
          retrievals: memory.retrievals + 1,
          citations: memory.citations + found,
        },
      }
    },
    artifact_published: (state, { seq, payload }) => {
      const { memory } = state
      if (payload.kind !== 'memory_proposal') return BOOKKEEPING.has(payload.kind ?? '') ? state : withEvidence(state)
      const proposal = { kind: 'proposal' as const, seq, summary: brief(payload.name) }
      return {
        ...withEvidence(state),
        memory: { ...withMemorySource(memory, proposal), proposals: memory.proposals + 1 },
      }
    },
    session_checkpoint: (state, { payload }) =>
      BOOKKEEPING.has(payload.checkpoint_type) ? state : withEvidence(state),
    step_progress: (state, event) => {
      if (event.payload.plan === undefined) return state
      const plan = hashText(canonicalJson(event.payload.plan))
      if (plan !== state.lastPlan) return { ...state, lastPlan: plan }
      return withEvidenceAt({ ...state, repeatedPlans: state.repeatedPlans + 1 }, 'plans', event)
    },
    transport_diagnostic: (state, event) => {
      const { status, reason, kind, model_index: index } = event.payload
      // Waiting for a sandbox says nothing about the provider.
      if (kind === 'sandbox') return state
      // Older logs say `fallback`.
      const isDegraded = status === 'degraded' || status === 'fallback'
      if (!isDegraded && status !== 'retrying')
        return withoutRetrying(PROVIDER_FAILURES.has(status) ? state : { ...state, fallback: null })
      const cause = reason ?? kind
      const hasNext = isDegraded && index !== undefined
      const noted = hasNext ? { ...state, fallback: { reason: cause, seq: event.seq } } : state
      return withEvidenceAt({ ...noted, degraded: cause, retrying: status === 'retrying' }, 'transport', event)
    },
    model_step: (before, { payload: { model_index: index } }) => {
      const state = withProviderAnswer(before)
      // Older logs do not name the model.
      return state.fallback === null || (index ?? 0) > 0 ? state : withoutRetrying({ ...state, fallback: null })
    },
    budget_crossed: (state, event) => {
      const { budget, limit } = event.payload
      return withEvidenceAt({ ...state, crossed: { ...state.crossed, [budget]: limit } }, 'budget', event)
    },
    approval_required: (state, event) => (event.payload.child ? state : withEvidenceAt(state, 'waiting', event)),
    error: (state, event) => withEvidenceAt(state, 'failed', event),
    // Approving a budget question raises all crossed budgets.
    budget_raised: (state, event) => {
      const { steps, limits } = event.payload
      if (limits) return { ...state, granted: { ...state.granted, ...limits }, crossed: {} }
      const more = (Object.keys(state.crossed) as BudgetName[]).map((budget) => [
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
    health_changed: (state, { payload }) => ({ ...state, publishedHash: healthHash(payload) }),
    branched: () => healthFold.initial,
  },
}

/** Written by the kernel, so no evidence of work. */
const BOOKKEEPING = new Set([
  ...['run_record', 'final_output', 'result', 'task_graph', 'workspace'],
  ...['turn', 'expired', 'resume_seed', SPOKEN_AUDIO],
])

const withEvidence = (state: HealthFold): HealthFold =>
  state.evidence && state.withoutEvidence === 0 && state.unprovenStretch === null
    ? state
    : { ...state, evidence: true, withoutEvidence: 0, unprovenStretch: null }

/** A continued stretch counts once. */
const withUnprovenEvent = (state: HealthFold, stretch: HealthFold['unprovenStretch']): HealthFold =>
  stretch !== null && state.unprovenStretch === stretch
    ? state
    : { ...state, unprovenStretch: stretch, withoutEvidence: state.withoutEvidence + 1 }

const withoutStretch = (state: HealthFold): HealthFold =>
  state.unprovenStretch === null ? state : { ...state, unprovenStretch: null }

/** Text in a turn with evidence is supported by it. */
const withAnswerText = (state: HealthFold): HealthFold => (state.evidence ? state : withUnprovenEvent(state, 'text'))

const sumPenalties = (fold: HealthFold): number => PENALTY_COUNTERS.reduce((sum, trouble) => sum + fold[trouble], 0)

/** A few clean turns forgive all penalties. Budgets still count everything. */
const forgiveHalf = (fold: HealthFold): HealthFold => ({
  ...fold,
  forgiven: mapPenalties((trouble) => fold[trouble] - Math.floor((fold[trouble] - fold.forgiven[trouble]) / 2)),
})

export const withoutForgiven = (fold: HealthFold): HealthFold => ({
  ...fold,
  ...mapPenalties((trouble) => fold[trouble] - fold.forgiven[trouble]),
})

const mapPenalties = (count: (trouble: PenaltyCounter) => number): HealthFold['forgiven'] =>
  Object.fromEntries(PENALTY_COUNTERS.map((trouble) => [trouble, count(trouble)])) as HealthFold['forgiven']

const tokensIn = ({ total_tokens, input_tokens = 0, output_tokens = 0 }: Payloads['usage']): number =>
  total_tokens ?? input_tokens + output_tokens

/** A single function builds snapshots, so equal ones have equal field order. */
export const healthHash = (snapshot: unknown): string => hashText(JSON.stringify(snapshot))

const withProviderAnswer = (state: HealthFold): HealthFold => (state.retrying ? withoutRetrying(state) : state)

/** A fallback stays in effect. */
const withoutRetrying = (state: HealthFold): HealthFold => {
  const { fallback } = state
  const ended = { ...state, degraded: fallback?.reason ?? null, retrying: false }
  return fallback === null ? ended : withEvidenceAt(ended, 'transport', fallback)
}

/** With these statuses the first model has not recovered. */
const PROVIDER_FAILURES: ReadonlySet<string> = new Set(['failed', 'compacting'])

const withEvidenceAt = (
  state: HealthFold,
  subject: EvidenceSubject,
  { seq }: { readonly seq: number },
): HealthFold => ({
  ...state,
  evidenceSeqs: { ...state.evidenceSeqs, [subject]: seq },
})

export const withAudit = (fold: HealthFold, event: AnyEvent): HealthFold => {
  const row = auditRow(event)
  return row ? { ...fold, audit: [...fold.audit.slice(1 - AUDIT_MAX), row] } : fold
}

const withMemorySource = (memory: MemoryProvenance, source: MemoryProvenance['latest'][number]): MemoryProvenance => ({
  ...memory,
  latest: [...memory.latest.slice(1 - MEMORY_MAX), source],
})

const brief = (text: string): string => truncate(text, SUMMARY_CHARS_MAX)

/** Any event of a run is activity. Rounded to seconds, so that tokens rarely change the fold. */
export const withActivity = (
  fold: HealthFold,
  event: { readonly seq: number; readonly at: number; readonly type: string; readonly run?: string },
): HealthFold => {
  if (event.run === undefined) return fold
  const isLater = event.at >= fold.activeAt + 1_000
  if (!isLater && fold.activeSeq !== 0) return fold
  const isShown = inTier(event.type, 'debug')
  if (!isLater && !isShown) return fold
  return { ...fold, activeAt: Math.max(fold.activeAt, event.at), ...(isShown && { activeSeq: event.seq }) }
}

export const runtimeMs = (fold: HealthFold, now: number): number =>
  fold.ranMs + (fold.runningSince === null ? 0 : Math.max(0, now - fold.runningSince))

const withStoppedClock = (state: HealthFold, at: number): HealthFold =>
  state.runningSince === null ? state : { ...state, ranMs: runtimeMs(state, at), runningSince: null, activeAt: at }
