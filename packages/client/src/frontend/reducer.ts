// Folds envelopes into the state of a frontend. The handler map is total: a new event type without a handler does not compile.
import { approvalKindOf, approvalKinds } from '@bridle/events/approval-kinds'
import type { VisibleEventType } from '@bridle/events/catalogue'
import { parseEventId } from '@bridle/kernel/positions/log-position'
import type { StreamEnvelope, StreamEnvelopeOf } from '@bridle/wire/frontend/wire'
import { emptyFrontendState, type FrontendState, type FrontendTool, type FrontendTurn } from './state.ts'
import { agentIn, closeOpenWork, endCalls, inTurn, newTool, restartTurn, withTool } from './turn-changes.ts'

/** Several screens, and bounded in a long session. */
const LIST_MAX = 500

const isRunners = (kind: string | undefined): boolean => approvalKinds[approvalKindOf(kind)].asker === 'runner'

/** Folds one envelope. Idempotent, so streams may be replayed. Unknown types and hearsay go to the diagnostics only. */
export const reduceFrontend = (state: FrontendState, envelope: StreamEnvelope): FrontendState => {
  if (envelope.type === 'session') return handlers.session(state, envelope)
  if (envelope.seq <= state.seq) return state
  const next = { ...state, seq: envelope.seq }
  if (envelope.custom) return withTimelineEntry(next, 'timeline', envelope)
  if (envelope.hearsay || !Object.hasOwn(handlers, envelope.type))
    return withTimelineEntry(next, 'diagnostics', envelope)
  return (handlers[envelope.type] as EnvelopeHandler<VisibleEventType>)(next, envelope as never)
}

const incarnationIn = ({ last_event_id: last }: { readonly [name: string]: unknown }): number =>
  (typeof last === 'string' && parseEventId(last)?.incarnation) || 1

type EnvelopeHandler<T extends VisibleEventType> = (
  state: FrontendState,
  envelope: StreamEnvelopeOf<T>,
) => FrontendState

const appendBounded = <T>(list: readonly T[], more: T): readonly T[] => [...list.slice(1 - LIST_MAX), more]

const withTimelineEntry = (state: FrontendState, where: EntryList, envelope: StreamEnvelope): FrontendState => {
  const { seq, type, timestamp, turn_id = null, payload } = envelope
  return { ...state, [where]: appendBounded(state[where], { seq, type, timestamp, turnId: turn_id, payload }) }
}

type EntryList = 'timeline' | 'diagnostics' | 'milestones'

const recorder =
  (...lists: readonly EntryList[]) =>
  <T extends VisibleEventType>(state: FrontendState, envelope: StreamEnvelopeOf<T>): FrontendState =>
    lists.reduce((next, list) => withTimelineEntry(next, list, envelope as unknown as StreamEnvelope), state)

const recordDiagnostic = recorder('diagnostics')
const recordInTimeline = recorder('timeline')
/** Milestones stay when calls have filled the timeline. */
const recordMilestone = recorder('timeline', 'milestones')

const inTurnAnd = <T extends VisibleEventType>(
  record: (state: FrontendState, envelope: StreamEnvelopeOf<T>) => FrontendState,
  state: FrontendState,
  envelope: StreamEnvelopeOf<T>,
  change: (turn: FrontendTurn) => FrontendTurn,
): FrontendState => record(inTurn(state, envelope, change), envelope)

const handlers: { readonly [T in VisibleEventType]: EnvelopeHandler<T> } = {
  session: (state, { payload, session_id, seq }) =>
    payload.reset === true || (state.sessionId !== null && state.sessionId !== session_id)
      ? { ...emptyFrontendState, sessionId: session_id, seq, incarnation: incarnationIn(payload) }
      : { ...state, sessionId: session_id, incarnation: incarnationIn(payload) },
  session_state: (state, envelope) =>
    recordInTimeline({ ...state, status: envelope.payload.status, session: envelope.payload }, envelope),
  session_checkpoint: (state, envelope) => {
    const isSeed = envelope.payload.checkpoint_type === 'resume_seed' && envelope.turn_id === undefined
    const base = isSeed ? closeOpenWork(state, envelope.timestamp) : state
    return recordMilestone({ ...base, checkpoints: appendBounded(base.checkpoints, envelope.payload) }, envelope)
  },

  turn_start: (state, envelope) =>
    inTurnAnd(recordDiagnostic, state, envelope, (turn) => ({ ...turn, prompt: envelope.payload.prompt })),
  turn_start_tools: recordDiagnostic,
  token: (state, envelope) => inTurn(state, envelope, (turn) => ({ ...turn, text: turn.text + envelope.payload.text })),
  response: (state, envelope) => inTurn(state, envelope, (turn) => ({ ...turn, text: envelope.payload.text })),
  thinking: (state, envelope) =>
    inTurn(state, envelope, (turn) => ({ ...turn, thinking: turn.thinking + envelope.payload.text })),
  // Also in the timeline, because it would be indistinguishable among the thoughts.
  reflection: (state, envelope) =>
    inTurnAnd(recordInTimeline, state, envelope, (turn) => ({
      ...turn,
      thinking: turn.thinking + envelope.payload.text,
    })),

  tool_call: (state, envelope) => {
    const { tool_call_id: id, name, arguments: given, effect = null } = envelope.payload
    // After an outcome, the same id is a new call.
    const begun = (tool: FrontendTool) => (tool.outcome ? tool : { ...tool, name, arguments: given, effect })
    const changed = withTool(state, envelope, { id, name }, begun)
    const isAgain = changed.turns.at(-1)?.tools.findLast(({ toolCallId }) => toolCallId === id)?.outcome != null
    const fresh = { ...newTool(id, name, envelope), arguments: given, effect, ...agentIn(envelope.payload) }
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
      withTool(state, envelope, { id, name }, (tool) => ({ ...tool, status, outcome, endedAt: envelope.timestamp })),
      envelope,
    )
  },
  tool_batch: (state, envelope) => {
    const { seq, payload } = envelope
    const batch = { seq, toolCallIds: payload.tool_call_ids }
    return inTurnAnd(recordDiagnostic, state, envelope, (turn) => ({ ...turn, batches: [...turn.batches, batch] }))
  },
  tool_selected: recordDiagnostic,
  tool_validation_error: recordDiagnostic,

  approval_required: (state, envelope) => {
    const { payload } = envelope
    const { tool_call_id: id, tool_name: name, kind } = payload
    const asked = { ...state, approvals: { ...state.approvals, [payload.request_id]: payload } }
    const marked = (tool: FrontendTool): FrontendTool => ({
      ...tool,
      arguments: tool.arguments ?? payload.arguments ?? null,
      approval: 'required',
      wait: { askedAt: envelope.timestamp, answeredAt: null, actor: null, isEdited: false },
      question: kind === 'question' ? { asked: payload, settled: null } : null,
    })
    const isOfCall = isRunners(kind) && id
    return recordMilestone(isOfCall ? withTool(asked, envelope, { id, name }, marked) : asked, envelope)
  },
  approval_applied: (state, envelope) => {
    const { payload, timestamp } = envelope
    const { request_id, tool_call_id: id, tool_name: name, decision = 'approved', arguments: given, actor } = payload
    const { [request_id]: asked, ...approvals } = state.approvals
    const settled = { ...state, approvals }
    // An approver may edit the arguments. Show those that run.
    const marked = (tool: FrontendTool): FrontendTool => ({
      ...tool,
      approval: decision,
      ...(given && { arguments: given }),
      wait: tool.wait && { ...tool.wait, answeredAt: timestamp, actor: actor ?? null, isEdited: given !== undefined },
      question: tool.question && { ...tool.question, settled: payload },
    })
    const isOfCall = isRunners(asked?.kind) && id
    return recordMilestone(isOfCall ? withTool(settled, envelope, { id, name }, marked) : settled, envelope)
  },

  context_warning: (state, envelope) => {
    const usagePct = envelope.payload.usage_pct ?? state.context.usagePct
    return recordMilestone({ ...state, context: { ...state.context, usagePct } }, envelope)
  },
  context_compacted: (state, envelope) =>
    recordMilestone({ ...state, context: { usagePct: null, compactions: state.context.compactions + 1 } }, envelope),
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
  transport_diagnostic: recorder('diagnostics', 'milestones'),

  session_paused: recordMilestone,
  session_resumed: recordMilestone,
  session_archived: recordInTimeline,
  session_unarchived: recordInTimeline,
  session_renamed: recordInTimeline,
  cancel_requested: recordMilestone,
  policy_set: recordMilestone,
  signal_received: recordInTimeline,
  memory_decided: recordInTimeline,
  branched: recordMilestone,
  session_imported: recordMilestone,
  budget_crossed: recordMilestone,
  budget_raised: recordMilestone,
  retry_scheduled: (state, envelope) =>
    inTurnAnd(recordMilestone, state, envelope, (turn) => endCalls(turn, envelope.timestamp)),
  output_superseded: (state, envelope) => {
    const { keep } = envelope.payload
    const withdraw = (turn: FrontendTurn): FrontendTurn =>
      keep
        ? {
            ...turn,
            text: turn.text.slice(0, keep.chars),
            thinking: turn.thinking.slice(0, keep.thinking_chars ?? turn.thinking.length),
          }
        : restartTurn(turn, turn.attempt, envelope.timestamp)
    return inTurnAnd(recordMilestone, state, envelope, withdraw)
  },
  artifact_published: recordInTimeline,
  custom_event: recordInTimeline,
  directive: recordInTimeline,
  execution_feedback: recordInTimeline,
  instructions_loaded: recordDiagnostic,

  completed: (state, envelope) =>
    inTurnAnd(recordInTimeline, state, envelope, (turn) => ({ ...turn, result: envelope.payload.result ?? null })),
  error: (state, envelope) => {
    const turn_id = envelope.turn_id ?? envelope.payload.turn_id
    const of = { ...envelope, ...(turn_id !== undefined && { turn_id }) }
    return recordMilestone(
      inTurn(state, of, (turn) => ({ ...turn, error: envelope.payload.message })),
      envelope,
    )
  },
  turn_end: (state, envelope) => {
    const { payload, timestamp } = envelope
    const { turn_id, status } = payload
    return recordInTimeline(
      inTurn(state, { ...envelope, turn_id }, (turn) => ({ ...endCalls(turn, timestamp), status, endedAt: timestamp })),
      envelope,
    )
  },
}

/** Every type with a handler. Kept equal to the answer of `/stream-events`. */
export const HANDLED_EVENT_TYPES = Object.keys(handlers) as readonly VisibleEventType[]
