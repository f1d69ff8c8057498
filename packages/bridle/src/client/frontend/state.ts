// What a frontend knows of a session, folded from the contract's envelopes by one pure function. The map of handlers is
// total: an event that the server may send and nobody handles does not compile.

import type { VisibleEventType } from '../../kernel/catalogue.ts'
import { parseEventId, positionText } from '../../kernel/positions/log-position.ts'
import type { StreamEnvelope, StreamEnvelopeOf } from '../../surfaces/frontend/wire.ts'

type PayloadOf<T extends VisibleEventType> = StreamEnvelopeOf<T>['payload']

export interface FrontendState {
  readonly sessionId: string | null
  /** The number of the last envelope; `frontendCursor` makes it the cursor to come back with. */
  readonly seq: number
  /** The incarnation of the log that the number belongs to, as the greeting said. */
  readonly incarnation: number
  readonly status: PayloadOf<'session_state'>['status'] | null
  /** The status card: the last `session_state`, whole. */
  readonly session: PayloadOf<'session_state'> | null
  /** In order; the one being written is the last that began. */
  readonly turns: readonly FrontendTurn[]
  /** Open ones, by request id. */
  readonly approvals: { readonly [requestId: string]: PayloadOf<'approval_required'> }
  readonly checkpoints: readonly PayloadOf<'session_checkpoint'>[]
  readonly subagents: { readonly [agentId: string]: PayloadOf<'subagent_event'> }
  readonly steps: readonly PayloadOf<'step_progress'>[]
  readonly retrievals: readonly PayloadOf<'retrieval'>[]
  readonly guardrail: PayloadOf<'antahkarana'> | null
  readonly context: { readonly usagePct: number | null; readonly compactions: number }
  readonly usage: { readonly tokens: number; readonly costUsd: number }
  /** What an operator sees happen, oldest first; the newest few hundred. */
  readonly timeline: readonly TimelineEntry[]
  /** The same for whoever looks closer. */
  readonly diagnostics: readonly TimelineEntry[]
}

export interface FrontendTurn {
  readonly turnId: string
  readonly attempt: number
  readonly prompt: string | null
  readonly status: 'running' | PayloadOf<'turn_end'>['status']
  readonly text: string
  readonly thinking: string
  /** In the order they began. Two calls of one name are two rows: the id tells them apart. */
  readonly tools: readonly FrontendTool[]
  readonly error: string | null
  readonly result: PayloadOf<'completed'>['result'] | null
}

export interface FrontendTool {
  readonly toolCallId: string
  readonly name: string
  readonly arguments: PayloadOf<'tool_call'>['arguments'] | null
  readonly result: PayloadOf<'tool_result'>['result'] | null
  /** `running` until its outcome is told. */
  readonly status: 'running' | PayloadOf<'tool_outcome'>['status']
  readonly outcome: PayloadOf<'tool_outcome'> | null
  readonly approval: 'required' | NonNullable<PayloadOf<'approval_applied'>['decision']> | null
  /** Of an attempt that a retry replaced. */
  readonly superseded: boolean
}

export interface TimelineEntry {
  readonly seq: number
  readonly type: VisibleEventType
  readonly timestamp: string
  readonly turnId: string | null
  readonly payload: StreamEnvelope['payload']
}

export const emptyFrontendState: FrontendState = {
  sessionId: null,
  seq: 0,
  incarnation: 1,
  status: null,
  session: null,
  turns: [],
  approvals: {},
  checkpoints: [],
  subagents: {},
  steps: [],
  retrievals: [],
  guardrail: null,
  context: { usagePct: null, compactions: 0 },
  usage: { tokens: 0, costUsd: 0 },
  timeline: [],
  diagnostics: [],
}

/**
 * One step. What was seen already changes nothing, so a stream may be read from any cursor again; a type that this build
 * does not know, and what an engine says in the session's name, are told among the diagnostics and change nothing else.
 */
export const reduceFrontend = (state: FrontendState, envelope: StreamEnvelope): FrontendState => {
  if (envelope.type === 'session') return handlers.session(state, envelope)
  if (envelope.seq <= state.seq) return state
  const next = { ...state, seq: envelope.seq }
  if (envelope.custom) return withTimelineEntry(next, 'timeline', envelope)
  if (envelope.hearsay || !Object.hasOwn(handlers, envelope.type))
    return withTimelineEntry(next, 'diagnostics', envelope)
  return (handlers[envelope.type] as EnvelopeHandler<VisibleEventType>)(next, envelope as never)
}

/** Where to resume a stream: the `Last-Event-ID`, or `?after=`. */
export const frontendCursor = ({ seq, incarnation }: FrontendState): string => positionText(seq, incarnation)

/** The greeting names the last event of the log. */
const incarnationIn = ({ last_event_id: last }: { readonly [name: string]: unknown }): number =>
  (typeof last === 'string' && parseEventId(last)?.incarnation) || 1

type EnvelopeHandler<T extends VisibleEventType> = (
  state: FrontendState,
  envelope: StreamEnvelopeOf<T>,
) => FrontendState

const LIST_MAX = 500
const appendBounded = <T>(list: readonly T[], more: T): readonly T[] => [...list.slice(1 - LIST_MAX), more]

const withTimelineEntry = (
  state: FrontendState,
  where: 'timeline' | 'diagnostics',
  envelope: StreamEnvelope,
): FrontendState => {
  const { seq, type, timestamp, turn_id = null, payload } = envelope
  return { ...state, [where]: appendBounded(state[where], { seq, type, timestamp, turnId: turn_id, payload }) }
}

/** For the eyes of the curious, and nothing else. */
const recordDiagnostic = <T extends VisibleEventType>(
  state: FrontendState,
  envelope: StreamEnvelopeOf<T>,
): FrontendState => withTimelineEntry(state, 'diagnostics', envelope as unknown as StreamEnvelope)
const recordInTimeline = <T extends VisibleEventType>(
  state: FrontendState,
  envelope: StreamEnvelopeOf<T>,
): FrontendState => withTimelineEntry(state, 'timeline', envelope as unknown as StreamEnvelope)

const newTurn = (turnId: string, attempt: number): FrontendTurn => ({
  turnId,
  attempt,
  prompt: null,
  status: 'running',
  text: '',
  thinking: '',
  tools: [],
  error: null,
  result: null,
})

/** Changes the turn an envelope belongs to; a later attempt begins it anew and keeps what was called, marked. */
const inTurn = (
  state: FrontendState,
  { turn_id, attempt = 1 }: Pick<StreamEnvelope, 'turn_id' | 'attempt'>,
  change: (turn: FrontendTurn) => FrontendTurn,
): FrontendState => {
  if (turn_id === undefined) return state
  const index = state.turns.findLastIndex(({ turnId }) => turnId === turn_id)
  const known = state.turns[index]
  if (!known) return { ...state, turns: [...state.turns, change(newTurn(turn_id, attempt))] }
  return {
    ...state,
    turns: state.turns.with(index, change(attempt > known.attempt ? restartTurn(known, attempt) : known)),
  }
}

const restartTurn = (turn: FrontendTurn, attempt: number): FrontendTurn => ({
  ...newTurn(turn.turnId, attempt),
  prompt: turn.prompt,
  tools: turn.tools.map((tool) => ({ ...tool, superseded: true })),
})

const newTool = (toolCallId: string, name: string): FrontendTool => ({
  toolCallId,
  name,
  arguments: null,
  result: null,
  status: 'running',
  outcome: null,
  approval: null,
  superseded: false,
})

/** By the call's id, never by its name; the newest of an id that an engine used again. */
const withTool = (
  state: FrontendState,
  envelope: Pick<StreamEnvelope, 'turn_id' | 'attempt'>,
  { id, name }: { readonly id: string; readonly name: string },
  change: (tool: FrontendTool) => FrontendTool,
): FrontendState =>
  inTurn(state, envelope, (turn) => {
    const index = turn.tools.findLastIndex(({ toolCallId, superseded }) => toolCallId === id && !superseded)
    const known = turn.tools[index]
    const tools = known ? turn.tools.with(index, change(known)) : [...turn.tools, change(newTool(id, name))]
    return { ...turn, tools }
  })

const handlers: { readonly [T in VisibleEventType]: EnvelopeHandler<T> } = {
  session: (state, { payload, session_id, seq }) =>
    payload.reset === true || (state.sessionId !== null && state.sessionId !== session_id)
      ? { ...emptyFrontendState, sessionId: session_id, seq, incarnation: incarnationIn(payload) }
      : { ...state, sessionId: session_id, incarnation: incarnationIn(payload) },
  session_state: (state, envelope) =>
    recordInTimeline({ ...state, status: envelope.payload.status, session: envelope.payload }, envelope),
  session_checkpoint: (state, envelope) => {
    const isSeed = envelope.payload.checkpoint_type === 'resume_seed' && envelope.turn_id === undefined
    const held = isSeed ? closeOpenWork(state) : state
    return recordInTimeline({ ...held, checkpoints: appendBounded(held.checkpoints, envelope.payload) }, envelope)
  },

  turn_start: (state, envelope) =>
    recordDiagnostic(
      inTurn(state, envelope, (turn) => ({ ...turn, prompt: envelope.payload.prompt })),
      envelope,
    ),
  turn_start_tools: recordDiagnostic,
  token: (state, envelope) => inTurn(state, envelope, (turn) => ({ ...turn, text: turn.text + envelope.payload.text })),
  response: (state, envelope) => inTurn(state, envelope, (turn) => ({ ...turn, text: envelope.payload.text })),
  thinking: (state, envelope) =>
    inTurn(state, envelope, (turn) => ({ ...turn, thinking: turn.thinking + envelope.payload.text })),
  reflection: (state, envelope) =>
    inTurn(state, envelope, (turn) => ({ ...turn, thinking: turn.thinking + envelope.payload.text })),

  tool_call: (state, envelope) => {
    const { tool_call_id: id, name, arguments: given } = envelope.payload
    // An id that is used again, after its outcome, is another call.
    const begun = (tool: FrontendTool) => (tool.outcome ? tool : { ...tool, name, arguments: given })
    const changed = withTool(state, envelope, { id, name }, begun)
    const isAgain = changed.turns.at(-1)?.tools.findLast(({ toolCallId }) => toolCallId === id)?.outcome != null
    const fresh = { ...newTool(id, name), arguments: given }
    return recordInTimeline(
      isAgain ? inTurn(state, envelope, (turn) => ({ ...turn, tools: [...turn.tools, fresh] })) : changed,
      envelope,
    )
  },
  tool_result: (state, envelope) => {
    const { tool_call_id: id, tool_name: name = 'tool', result } = envelope.payload
    return recordInTimeline(
      withTool(state, envelope, { id, name }, (tool) => ({ ...tool, result })),
      envelope,
    )
  },
  tool_outcome: (state, envelope) => {
    const { payload: outcome } = envelope
    const { tool_call_id: id, tool_name: name, status } = outcome
    return recordInTimeline(
      withTool(state, envelope, { id, name }, (tool) => ({ ...tool, status, outcome })),
      envelope,
    )
  },
  tool_batch: recordDiagnostic,
  tool_selected: recordDiagnostic,
  tool_validation_error: recordDiagnostic,

  approval_required: (state, envelope) => {
    const { payload } = envelope
    const { tool_call_id: id, tool_name: name, kind = 'tool' } = payload
    const asked = { ...state, approvals: { ...state.approvals, [payload.request_id]: payload } }
    const marked = (tool: FrontendTool): FrontendTool => ({ ...tool, approval: 'required' })
    return recordInTimeline(kind === 'tool' && id ? withTool(asked, envelope, { id, name }, marked) : asked, envelope)
  },
  approval_applied: (state, envelope) => {
    const { request_id, tool_call_id: id, tool_name: name, decision = 'approved', arguments: given } = envelope.payload
    const { [request_id]: asked, ...approvals } = state.approvals
    const settled = { ...state, approvals }
    // The person who approved it may have changed them: what runs is what is shown.
    const marked = (tool: FrontendTool): FrontendTool => ({
      ...tool,
      approval: decision,
      ...(given && { arguments: given }),
    })
    const isTool = (asked?.kind ?? 'tool') === 'tool'
    return recordInTimeline(isTool && id ? withTool(settled, envelope, { id, name }, marked) : settled, envelope)
  },

  context_warning: (state, envelope) => {
    const usagePct = envelope.payload.usage_pct ?? state.context.usagePct
    return recordInTimeline({ ...state, context: { ...state.context, usagePct } }, envelope)
  },
  context_compacted: (state, envelope) =>
    recordInTimeline({ ...state, context: { usagePct: null, compactions: state.context.compactions + 1 } }, envelope),
  step_progress: (state, envelope) =>
    recordInTimeline({ ...state, steps: appendBounded(state.steps, envelope.payload) }, envelope),
  usage: (state, envelope) => {
    const { total_tokens, input_tokens = 0, output_tokens = 0, cost_usd = 0 } = envelope.payload
    const tokens = state.usage.tokens + (total_tokens ?? input_tokens + output_tokens)
    return recordDiagnostic({ ...state, usage: { tokens, costUsd: state.usage.costUsd + cost_usd } }, envelope)
  },
  retrieval: (state, envelope) =>
    recordInTimeline({ ...state, retrievals: appendBounded(state.retrievals, envelope.payload) }, envelope),
  antahkarana: (state, envelope) => recordInTimeline({ ...state, guardrail: envelope.payload }, envelope),
  subagent_event: (state, envelope) => {
    const { payload } = envelope
    return recordDiagnostic({ ...state, subagents: { ...state.subagents, [payload.agent_id]: payload } }, envelope)
  },
  policy_decision: recordDiagnostic,
  hook_event: recordDiagnostic,
  sandbox_notice: recordDiagnostic,
  transport_diagnostic: recordDiagnostic,

  session_paused: recordInTimeline,
  session_resumed: recordInTimeline,
  cancel_requested: recordInTimeline,
  policy_set: recordInTimeline,
  branched: recordInTimeline,
  budget_crossed: recordInTimeline,
  budget_raised: recordInTimeline,
  retry_scheduled: recordInTimeline,
  artifact_published: recordInTimeline,
  custom_event: recordInTimeline,

  completed: (state, envelope) =>
    recordInTimeline(
      inTurn(state, envelope, (turn) => ({ ...turn, result: envelope.payload.result ?? null })),
      envelope,
    ),
  error: (state, envelope) => {
    const turn_id = envelope.turn_id ?? envelope.payload.turn_id
    const of = { ...envelope, ...(turn_id !== undefined && { turn_id }) }
    return recordInTimeline(
      inTurn(state, of, (turn) => ({ ...turn, error: envelope.payload.message })),
      envelope,
    )
  },
  turn_end: (state, envelope) => {
    const { turn_id, status } = envelope.payload
    return recordInTimeline(
      inTurn(state, { ...envelope, turn_id }, (turn) => ({ ...turn, status })),
      envelope,
    )
  },
}

/** A branch has its parent's history and nothing of what was open there: it ended for this session where it began. */
const closeOpenWork = (state: FrontendState): FrontendState => ({
  ...state,
  approvals: {},
  turns: state.turns.map((turn) =>
    turn.status === 'running' ? { ...turn, status: 'cancelled', tools: turn.tools.map(closeTool) } : turn,
  ),
})

const closeTool = (tool: FrontendTool): FrontendTool => ({
  ...tool,
  ...(tool.status === 'running' && { status: 'error' }),
  ...(tool.approval === 'required' && { approval: 'cancelled' }),
})

/** Every type that the reducer handles: what `/stream-events` answers, by type and by test. */
export const HANDLED_EVENT_TYPES = Object.keys(handlers) as readonly VisibleEventType[]
