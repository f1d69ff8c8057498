import { ENVELOPES_MAX } from '@bridle/events/limits'
import { eventId } from '@bridle/kernel/event'
import type { ChannelPage, SessionChannel } from '../http/wire.ts'
import { agentId, envelopesOf, toolId } from './envelopes.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

const RUNTIME = 'runtime'
const OPERATOR = 'operator'

export function* channelOf(session: SessionFacts): EventLookup<SessionChannel> {
  const { key, state } = session
  const { operator, tools, recent } = state.channel
  return {
    channel_id: `session:${key.id}`,
    participants: [
      { participant_id: RUNTIME, kind: 'runtime', name: 'Bridle' },
      { participant_id: agentId(session), kind: 'agent', name: key.agent },
      ...(operator ? [{ participant_id: OPERATOR, kind: 'operator', name: 'operator' } as const] : []),
      ...tools.map((name) => ({ participant_id: toolId(name), kind: 'tool', name }) as const),
    ],
    ...(yield* channelPageOf(session, recent, ENVELOPES_MAX, null)),
  }
}

/** Newest events, oldest first. `lookedFrom` is where the scan stopped; null if there is nothing older. */
export function* channelPageOf(
  session: SessionFacts,
  seqs: readonly number[],
  limit: number,
  lookedFrom: number | null,
): EventLookup<ChannelPage> {
  const envelopes = yield* envelopesOf(session, seqs.slice(-limit))
  const next = envelopes.length < seqs.length ? (envelopes[0]?.seq ?? lookedFrom) : lookedFrom
  return { envelopes, ...(next !== null && { next: eventId(next, session.incarnations.own) }) }
}
