// Envelopes depend on the log alone: the same log gives the same text, byte for byte.

import { approvalKindOf, approvalKinds } from '@bridle/events/approval-kinds'
import { catalogue, type VisibleEventType } from '@bridle/events/catalogue'
import type { Json } from '@bridle/events/json'
import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import { type AnyEvent, eventId } from '@bridle/kernel/event'
import { eventWithIncarnations } from '@bridle/kernel/positions/incarnation'
import { approximateChars } from '@bridle/kernel/text/size'
import { truncate } from '@bridle/kernel/text/truncate'
import { eventText } from '@bridle/words/events'
import type { ChannelEnvelope } from '../http/wire.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

/** Small, because a few large events can already fill a channel. */
export const LOOKUP_BATCH = 5

/** Limit for a page, in characters of JSON. */
export const CHANNEL_CHARS_MAX = 1_000_000

/** `seqs` ascend. Returns as many envelopes as fit into a channel, and at least one. */
export function* envelopesOf(session: SessionFacts, seqs: readonly number[]): EventLookup<readonly ChannelEnvelope[]> {
  const events = yield* newestEvents(seqs)
  return newestThatFit(events.map((event) => envelopeOf(agentId(session), event, session)))
}

const envelopeOf = (agent: string, event: AnyEvent, { key, incarnations }: SessionFacts): ChannelEnvelope => {
  const type = event.type as VisibleEventType
  const { from, to } = routeOf(type, event.payload)
  const idOf = (participant: Participant): string =>
    participant === 'agent' ? agent : typeof participant === 'string' ? participant : toolId(participant.tool)
  return {
    event_id: eventId(event.seq, incarnations.own),
    seq: event.seq,
    timestamp: new Date(event.at).toISOString(),
    sender_id: idOf(from),
    recipient_ids: to.map(idOf),
    event_type: type,
    summary: truncate(eventText(type, event.payload, event.at), SUMMARY_CHARS_MAX),
    payload: eventWithIncarnations(event, key, incarnations).payload as Json,
  }
}

type Participant = 'runtime' | 'agent' | 'operator' | { readonly tool: string }

interface Route {
  readonly from: Participant
  readonly to: readonly Participant[]
}

/** Runners report the agent's events; the runtime emits all others. */
const routeOf = (type: VisibleEventType, payload: unknown): Route => {
  const route = routes[type]
  if (route) return typeof route === 'function' ? route(payload as never) : route
  return catalogue[type].source === 'runner' ? fromAgent : fromRuntime
}

const fromRuntime: Route = { from: 'runtime', to: ['agent'] }
const fromAgent: Route = { from: 'agent', to: ['runtime'] }
const toAgent: Route = { from: 'operator', to: ['agent'] }
const fromOperator: Route = { from: 'operator', to: ['runtime', 'agent'] }

const routes: { readonly [T in VisibleEventType]?: Route | ((payload: Payloads[T]) => Route) } = {
  turn_start_tools: fromRuntime,
  artifact_published: fromAgent,
  completed: fromAgent,
  error: fromAgent,
  tool_call: ({ name }) => ({ from: 'agent', to: [{ tool: name }] }),
  tool_result: ({ tool_name: tool = 'tool' }) => ({ from: { tool }, to: ['agent'] }),
  tool_outcome: ({ tool_name: tool }) => ({ from: { tool }, to: ['agent'] }),
  tool_validation_error: ({ tool_name: tool }) => ({ from: { tool }, to: ['agent'] }),
  // The agent asks about its own calls, the runtime about budgets and unknown outcomes.
  approval_required: ({ kind }) => ({
    from: approvalKinds[approvalKindOf(kind)].asker === 'runner' ? 'agent' : 'runtime',
    to: ['operator'],
  }),
  // The runtime settled an unanswered approval, so the operator receives the envelope too.
  approval_applied: ({ decision }) => (isAnswer(decision) ? toAgent : { from: 'runtime', to: ['operator', 'agent'] }),
  session_paused: ({ operator }) => (operator ? toAgent : fromRuntime),
  session_renamed: toAgent,
  signal_received: toAgent,
  memory_decided: toAgent,
  session_resumed: fromOperator,
  session_archived: fromOperator,
  session_unarchived: fromOperator,
  session_imported: fromOperator,
  cancel_requested: fromOperator,
  policy_set: fromOperator,
  branched: fromOperator,
}

const isAnswer = (decision = 'approved'): boolean => decision === 'approved' || decision === 'denied'

export const toolId = (name: string): string => `tool:${name}`
export const agentId = ({ key }: SessionFacts): string => `agent:${key.agent}`

/** Older envelopes that do not fit go to the previous page. */
const newestThatFit = (envelopes: readonly ChannelEnvelope[]): readonly ChannelEnvelope[] => {
  let chars = 0
  const from = envelopes.findLastIndex((each, index) => {
    chars += JSON.stringify(each).length
    return chars > CHANNEL_CHARS_MAX && index < envelopes.length - 1
  })
  return envelopes.slice(from + 1)
}

/** Older events are not read, because they may be large. */
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
