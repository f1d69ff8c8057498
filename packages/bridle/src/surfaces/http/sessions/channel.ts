// A session's channel: who takes part, and the newest events as envelopes from one to another. A projection of the log, for
// a bounded timeline and for audit; the same log gives the same text, byte for byte.

import type { ShownEventType } from '../../../kernel/catalogue.ts'
import { type AnyEvent, type Event, eventId } from '../../../kernel/event.ts'
import type { Json } from '../../../kernel/json.ts'
import { BRIEF_CHARS, CHANNEL_CHARS_MAX } from '../../../kernel/limits.ts'
import { placedEvent } from '../../../kernel/positions/incarnation.ts'
import type { Session } from '../../../kernel/session/session.ts'
import { charsOf } from '../../../kernel/text/size.ts'
import { cut } from '../../../kernel/text/truncate.ts'

export interface Envelope {
  readonly event_id: string
  readonly seq: number
  readonly timestamp: string
  readonly sender_id: string
  readonly recipient_ids: readonly string[]
  readonly event_type: string
  readonly summary: string
  readonly payload: Json
}

const RUNTIME = 'runtime'
const OPERATOR = 'operator'

export const channelOf = async (session: Session) => {
  const { key, state } = session
  const { operator, tools } = state.channel
  const agent = `agent:${key.agent}`
  return {
    channel_id: `session:${key.id}`,
    participants: [
      { participant_id: RUNTIME, kind: 'runtime', name: 'Bridle' },
      { participant_id: agent, kind: 'agent', name: key.agent },
      ...(operator ? [{ participant_id: OPERATOR, kind: 'operator', name: 'operator' }] : []),
      ...tools.map((name) => ({ participant_id: toolId(name), kind: 'tool', name })),
    ],
    envelopes: within((await newestAt(session, state.channel.recent)).map((event) => envelope(agent, event, session))),
  }
}

const envelope = (agent: string, event: AnyEvent, { key, logs }: Session): Envelope => {
  const { from, to, say } = routes[event.type as ShownEventType] as Route<ShownEventType>
  const said = event as Event<ShownEventType>
  const named = (who: Party): string => (who === 'agent' ? agent : typeof who === 'string' ? who : toolId(who.tool))
  return {
    event_id: eventId(event.seq, logs.own),
    seq: event.seq,
    timestamp: new Date(event.at).toISOString(),
    sender_id: named(resolve(from, said)),
    recipient_ids: resolve(to, said).map(named),
    event_type: event.type,
    summary: cut(say(said), BRIEF_CHARS),
    payload: placedEvent(event, key, logs).payload as Json,
  }
}

type Party = 'runtime' | 'agent' | 'operator' | { readonly tool: string }
type Told<T extends ShownEventType, R> = R | ((event: Event<T>) => R)
interface Route<T extends ShownEventType> {
  readonly from: Told<T, Party>
  readonly to: Told<T, readonly Party[]>
  readonly say: (event: Event<T>) => string
}

const resolve = <T extends ShownEventType, R>(told: Told<T, R>, event: Event<T>): R =>
  typeof told === 'function' ? (told as (event: Event<T>) => R)(event) : told

const tells = <T extends ShownEventType>(say: Route<T>['say']): Route<T> => ({ from: 'runtime', to: ['agent'], say })
const says = <T extends ShownEventType>(say: Route<T>['say']): Route<T> => ({ from: 'agent', to: ['runtime'], say })

/** What an operator did, by whom and why. */
const act = (what: string, payload: { readonly [name: string]: unknown }): string =>
  [payload.actor ? `${what} by ${payload.actor}` : what, payload.reason].filter(Boolean).join(': ')
const acts = <T extends ShownEventType>(what: string): Route<T> => ({
  from: 'operator',
  to: ['runtime', 'agent'],
  say: ({ payload }) => act(what, payload as { readonly [name: string]: unknown }),
})

/** Total: an event that nobody thought about does not compile. */
const routes: { readonly [T in ShownEventType]: Route<T> } = {
  session: tells(({ payload }) => payload.session_id),
  session_state: tells(({ payload }) => payload.status),
  session_checkpoint: says(({ payload }) => `${payload.checkpoint_type}: ${payload.summary_text}`),
  policy_decision: tells(({ payload }) => `${payload.subject}: ${payload.outcome}`),
  hook_event: says(({ payload }) => [payload.hook, payload.phase, payload.status].filter(Boolean).join(' ')),
  sandbox_notice: tells(({ payload }) => `${payload.resolved_backend} (${payload.isolation})`),
  transport_diagnostic: says(({ payload }) => `${payload.kind}: ${payload.status}`),
  subagent_event: says(({ payload }) => `${payload.agent_id}: ${payload.status}`),
  turn_start: tells(({ payload }) => payload.prompt),
  turn_start_tools: tells(({ payload }) => payload.tools.join(', ')),
  token: says(({ payload }) => payload.text),
  response: says(({ payload }) => payload.text),
  thinking: says(({ payload }) => payload.text),
  reflection: says(({ payload }) => payload.text),
  tool_call: { from: 'agent', to: ({ payload }) => [{ tool: payload.name }], say: ({ payload }) => payload.name },
  tool_result: {
    from: ({ payload }) => ({ tool: payload.tool_name ?? 'tool' }),
    to: ['agent'],
    say: ({ payload }) => `${payload.tool_name ?? 'tool'} answered`,
  },
  tool_outcome: {
    from: ({ payload }) => ({ tool: payload.tool_name }),
    to: ['agent'],
    say: ({ payload }) => `${payload.tool_name}: ${payload.status}`,
  },
  tool_batch: says(({ payload }) => payload.tool_call_ids.join(', ')),
  tool_selected: says(({ payload }) => payload.tool_name),
  tool_validation_error: {
    from: ({ payload }) => ({ tool: payload.tool_name }),
    to: ['agent'],
    say: ({ payload }) => payload.error,
  },
  context_warning: says(({ payload }) => payload.message ?? payload.kind ?? ''),
  context_compacted: says(({ payload }) => payload.summary ?? ''),
  step_progress: says(({ payload }) => [payload.step_id, payload.status, payload.summary].filter(Boolean).join(' ')),
  usage: says(
    ({ payload }) => `${payload.total_tokens ?? (payload.input_tokens ?? 0) + (payload.output_tokens ?? 0)} tokens`,
  ),
  retrieval: says(({ payload }) => payload.query ?? ''),
  antahkarana: says(({ payload }) => payload.trace_id ?? ''),
  // Approvals pass through the operator, and not by a side path.
  approval_required: {
    from: ({ payload }) => ((payload.kind ?? 'tool') === 'tool' ? 'agent' : 'runtime'),
    to: ['operator'],
    say: ({ payload }) => `${payload.tool_name}: ${payload.reason}`,
  },
  approval_applied: {
    // What nobody answered was settled by the runtime, and the operator is told.
    from: ({ payload }) => (isAnswer(payload.decision) ? 'operator' : 'runtime'),
    to: ({ payload }) => (isAnswer(payload.decision) ? ['agent'] : ['operator', 'agent']),
    say: ({ payload }) => `${payload.tool_name}: ${payload.decision ?? 'approved'}`,
  },
  session_paused: {
    from: ({ payload }) => (payload.operator ? 'operator' : 'runtime'),
    to: ['agent'],
    say: ({ payload }) => act('paused', payload),
  },
  session_resumed: acts('resumed'),
  cancel_requested: acts('cancelled'),
  policy_set: acts('policy set'),
  branched: acts('branched'),
  budget_crossed: tells(({ payload }) => `${payload.budget}: ${payload.value} (limit ${payload.limit})`),
  budget_raised: tells(({ payload }) => payload.budgets.join(', ')),
  retry_scheduled: tells(({ payload }) => payload.reason),
  custom_event: says(({ payload }) => payload.name),
  artifact_published: says(({ payload }) => payload.name),
  turn_end: tells(({ payload }) => payload.status),
  completed: says(({ payload }) => (typeof payload.result === 'string' ? payload.result : 'completed')),
  error: says(({ payload }) => payload.message),
}

const isAnswer = (decision = 'approved'): boolean => decision === 'approved' || decision === 'denied'

const toolId = (name: string): string => `tool:${name}`

/** The newest that fit; an older one is in the log. */
const within = (envelopes: readonly Envelope[]): readonly Envelope[] => {
  let chars = 0
  const from = envelopes.findLastIndex((each) => {
    chars += JSON.stringify(each).length
    return chars > CHANNEL_CHARS_MAX
  })
  return envelopes.slice(from + 1)
}

/** Numbers looked up at once, so that large events are not read only to be left out. */
const LOOKED_UP = 5

/** The newest of these events, as many as a channel can show: the older ones of a session with large events are not read. */
const newestAt = async (session: Session, seqs: readonly number[]): Promise<readonly AnyEvent[]> => {
  const found: AnyEvent[] = []
  let chars = 0
  for (let end = seqs.length; end > 0 && chars <= CHANNEL_CHARS_MAX; end -= LOOKED_UP) {
    const events = await eventsAt(session, seqs.slice(Math.max(0, end - LOOKED_UP), end))
    for (const { payload } of events) chars += charsOf(payload)
    found.unshift(...events)
  }
  return found
}

/** Events by their numbers, neighbours in one read. */
export const eventsAt = async (session: Session, seqs: readonly number[]): Promise<readonly AnyEvent[]> => {
  const found: AnyEvent[] = []
  for (let index = 0; index < seqs.length; ) {
    const first = seqs[index] ?? 0
    let last = first
    while (seqs[index + 1] === last + 1) {
      last += 1
      index += 1
    }
    index += 1
    for (let seen = first - 1; seen < last; ) {
      const page = (await session.read(seen, last - seen)).filter(({ seq }) => seq <= last)
      if (page.length === 0) break
      found.push(...page)
      seen = page.at(-1)?.seq ?? last
    }
  }
  return found
}
