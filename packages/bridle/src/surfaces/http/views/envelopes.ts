// Events as envelopes from one participant of a session to others. They depend on the log alone: the same log gives the same text,
// byte for byte.

import type { VisibleEventType } from '../../../kernel/catalogue.ts'
import { type AnyEvent, type Event, eventId } from '../../../kernel/event.ts'
import type { Json } from '../../../kernel/json.ts'
import { CHANNEL_CHARS_MAX, SUMMARY_CHARS_MAX } from '../../../kernel/limits.ts'
import { eventWithIncarnations } from '../../../kernel/positions/incarnation.ts'
import { actorText } from '../../../kernel/text/actor-text.ts'
import { approximateChars } from '../../../kernel/text/size.ts'
import { truncate } from '../../../kernel/text/truncate.ts'
import type { ChannelEnvelope } from '../wire.ts'
import { LOOKUP_BATCH } from './limits.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

/** The newest envelopes of these events, whose numbers ascend: as many as fit into a channel, and at least one. */
export function* envelopesOf(session: SessionFacts, seqs: readonly number[]): EventLookup<readonly ChannelEnvelope[]> {
  const events = yield* newestEvents(seqs)
  return newestThatFit(events.map((event) => envelopeOf(agentId(session), event, session)))
}

const envelopeOf = (agent: string, event: AnyEvent, { key, incarnations }: SessionFacts): ChannelEnvelope => {
  const { from, to, summarize } = envelopeTemplates[
    event.type as VisibleEventType
  ] as EnvelopeTemplate<VisibleEventType>
  const visible = event as Event<VisibleEventType>
  const idOf = (participant: Participant): string =>
    participant === 'agent' ? agent : typeof participant === 'string' ? participant : toolId(participant.tool)
  return {
    event_id: eventId(event.seq, incarnations.own),
    seq: event.seq,
    timestamp: new Date(event.at).toISOString(),
    sender_id: idOf(resolve(from, visible)),
    recipient_ids: resolve(to, visible).map(idOf),
    event_type: event.type,
    summary: truncate(summarize(visible), SUMMARY_CHARS_MAX),
    payload: eventWithIncarnations(event, key, incarnations).payload as Json,
  }
}

type Participant = 'runtime' | 'agent' | 'operator' | { readonly tool: string }
type EventField<T extends VisibleEventType, R> = R | ((event: Event<T>) => R)
interface EnvelopeTemplate<T extends VisibleEventType> {
  readonly from: EventField<T, Participant>
  readonly to: EventField<T, readonly Participant[]>
  readonly summarize: (event: Event<T>) => string
}

const resolve = <T extends VisibleEventType, R>(field: EventField<T, R>, event: Event<T>): R =>
  typeof field === 'function' ? (field as (event: Event<T>) => R)(event) : field

const fromRuntime = <T extends VisibleEventType>(summarize: EnvelopeTemplate<T>['summarize']): EnvelopeTemplate<T> => ({
  from: 'runtime',
  to: ['agent'],
  summarize,
})
const fromAgent = <T extends VisibleEventType>(summarize: EnvelopeTemplate<T>['summarize']): EnvelopeTemplate<T> => ({
  from: 'agent',
  to: ['runtime'],
  summarize,
})

/** An operator's action, with the operator's name and the reason. */
const operatorSummary = (action: string, payload: { readonly [name: string]: unknown }): string =>
  [payload.actor ? `${action} by ${actorText(`${payload.actor}`, payload.actor_claimed)}` : action, payload.reason]
    .filter(Boolean)
    .join(': ')
const fromOperator = <T extends VisibleEventType>(action: string): EnvelopeTemplate<T> => ({
  from: 'operator',
  to: ['runtime', 'agent'],
  summarize: ({ payload }) => operatorSummary(action, payload as { readonly [name: string]: unknown }),
})

/** A template for each visible event type: a new type does not compile without one. */
const envelopeTemplates: { readonly [T in VisibleEventType]: EnvelopeTemplate<T> } = {
  session: fromRuntime(({ payload }) => payload.session_id),
  session_state: fromRuntime(({ payload }) => payload.status),
  session_checkpoint: fromAgent(({ payload }) => `${payload.checkpoint_type}: ${payload.summary_text}`),
  policy_decision: fromRuntime(({ payload }) => `${payload.subject}: ${payload.outcome}`),
  hook_event: fromAgent(({ payload }) => [payload.hook, payload.phase, payload.status].filter(Boolean).join(' ')),
  sandbox_notice: fromRuntime(({ payload }) => `${payload.resolved_backend} (${payload.isolation})`),
  transport_diagnostic: fromAgent(({ payload }) => `${payload.kind}: ${payload.status}`),
  subagent_event: fromAgent(({ payload }) => `${payload.agent_id}: ${payload.status}`),
  turn_start: fromRuntime(({ payload }) => payload.prompt),
  turn_start_tools: fromRuntime(({ payload }) => payload.tools.join(', ')),
  token: fromAgent(({ payload }) => payload.text),
  response: fromAgent(({ payload }) => payload.text),
  thinking: fromAgent(({ payload }) => payload.text),
  reflection: fromAgent(({ payload }) => payload.text),
  tool_call: { from: 'agent', to: ({ payload }) => [{ tool: payload.name }], summarize: ({ payload }) => payload.name },
  tool_result: {
    from: ({ payload }) => ({ tool: payload.tool_name ?? 'tool' }),
    to: ['agent'],
    summarize: ({ payload }) => `${payload.tool_name ?? 'tool'} answered`,
  },
  tool_outcome: {
    from: ({ payload }) => ({ tool: payload.tool_name }),
    to: ['agent'],
    summarize: ({ payload }) => `${payload.tool_name}: ${payload.status}`,
  },
  tool_batch: fromAgent(({ payload }) => payload.tool_call_ids.join(', ')),
  tool_selected: fromAgent(({ payload }) => payload.tool_name),
  tool_validation_error: {
    from: ({ payload }) => ({ tool: payload.tool_name }),
    to: ['agent'],
    summarize: ({ payload }) => payload.error,
  },
  context_warning: fromAgent(({ payload }) => payload.message ?? payload.kind ?? ''),
  context_compacted: fromAgent(({ payload }) => payload.summary ?? ''),
  step_progress: fromAgent(({ payload }) =>
    [payload.step_id, payload.status, payload.summary].filter(Boolean).join(' '),
  ),
  output_superseded: fromRuntime(({ payload }) =>
    payload.keep ? 'the end of the text was withdrawn' : 'the text was withdrawn',
  ),
  usage: fromAgent(
    ({ payload }) => `${payload.total_tokens ?? (payload.input_tokens ?? 0) + (payload.output_tokens ?? 0)} tokens`,
  ),
  retrieval: fromAgent(({ payload }) => payload.query ?? ''),
  antahkarana: fromAgent(({ payload }) => payload.trace_id ?? ''),
  // The sender of a question is the agent for its own calls, and the runtime for budgets and unknown outcomes.
  approval_required: {
    from: ({ payload }) => ((payload.kind ?? 'tool') === 'tool' ? 'agent' : 'runtime'),
    to: ['operator'],
    summarize: ({ payload }) => `${payload.tool_name}: ${payload.reason}`,
  },
  approval_applied: {
    // An approval that nobody answered was settled by the runtime, and the operator gets the envelope too.
    from: ({ payload }) => (isAnswer(payload.decision) ? 'operator' : 'runtime'),
    to: ({ payload }) => (isAnswer(payload.decision) ? ['agent'] : ['operator', 'agent']),
    summarize: ({ payload }) => `${payload.tool_name}: ${payload.decision ?? 'approved'}`,
  },
  session_paused: {
    from: ({ payload }) => (payload.operator ? 'operator' : 'runtime'),
    to: ['agent'],
    summarize: ({ payload }) => operatorSummary('paused', payload),
  },
  session_resumed: fromOperator('resumed'),
  session_archived: fromOperator('archived'),
  session_unarchived: fromOperator('unarchived'),
  session_renamed: {
    from: 'operator',
    to: ['agent'],
    summarize: ({ payload }) => operatorSummary('renamed', { ...payload, reason: payload.title }),
  },
  session_imported: fromOperator('imported'),
  cancel_requested: fromOperator('cancelled'),
  policy_set: fromOperator('policy set'),
  signal_received: {
    from: 'operator',
    to: ['agent'],
    summarize: ({ payload }) => operatorSummary('signal', { ...payload, reason: payload.name }),
  },
  memory_decided: {
    from: 'operator',
    to: ['agent'],
    summarize: ({ payload }) => operatorSummary(`memory ${payload.decision}`, { ...payload, reason: payload.key }),
  },
  branched: fromOperator('branched'),
  budget_crossed: fromRuntime(({ payload }) => `${payload.budget}: ${payload.value} (limit ${payload.limit})`),
  budget_raised: fromRuntime(({ payload }) => payload.budgets.join(', ')),
  retry_scheduled: fromRuntime(({ payload }) => payload.reason),
  custom_event: fromAgent(({ payload }) => payload.name),
  directive: fromAgent(({ payload }) => payload.action_type),
  execution_feedback: fromRuntime(({ payload }) => `feedback on ${payload.entries.length} directives`),
  artifact_published: fromAgent(({ payload }) => payload.name),
  turn_end: fromRuntime(({ payload }) => payload.status),
  completed: fromAgent(({ payload }) => (typeof payload.result === 'string' ? payload.result : 'completed')),
  error: fromAgent(({ payload }) => payload.message),
}

const isAnswer = (decision = 'approved'): boolean => decision === 'approved' || decision === 'denied'

export const toolId = (name: string): string => `tool:${name}`
export const agentId = ({ key }: SessionFacts): string => `agent:${key.agent}`

/** Older envelopes that do not fit are on the page before. */
const newestThatFit = (envelopes: readonly ChannelEnvelope[]): readonly ChannelEnvelope[] => {
  let chars = 0
  const from = envelopes.findLastIndex((each, index) => {
    chars += JSON.stringify(each).length
    return chars > CHANNEL_CHARS_MAX && index < envelopes.length - 1
  })
  return envelopes.slice(from + 1)
}

/** The newest of these events, as many as fit into a channel. Older events are not read: they may be large. */
function* newestEvents(seqs: readonly number[]): EventLookup<readonly AnyEvent[]> {
  const found: AnyEvent[] = []
  let chars = 0
  for (let end = seqs.length; end > 0 && chars <= CHANNEL_CHARS_MAX; end -= LOOKUP_BATCH) {
    const events = yield seqs.slice(Math.max(0, end - LOOKUP_BATCH), end)
    for (const { payload } of events) chars += approximateChars(payload)
    found.unshift(...events)
  }
  return found
}
