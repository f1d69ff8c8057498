// The channel of a session: its participants, and pages of its events as envelopes between them.

import { eventId } from '../../../../kernel/event.ts'
import { ENVELOPES_MAX } from '../../../../kernel/limits.ts'
import { hasEnvelope } from '../../../../kernel/projections/indexes/channel.ts'
import type { Session } from '../../../../kernel/session/session.ts'
import { CHANNEL_LOOKUP_MAX } from '../../limits.ts'
import { seqsBefore } from '../../streams/replay.ts'
import type { ChannelPage, SessionChannel } from '../../wire.ts'
import { agentId, envelopesOf, toolId } from './envelopes.ts'

const RUNTIME = 'runtime'
const OPERATOR = 'operator'

/** The channel with its newest page. */
export const channelOf = async (session: Session): Promise<SessionChannel> => {
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
    ...(await pageOf(session, recent, ENVELOPES_MAX, null)),
  }
}

/** The newest envelopes before an event. */
export const channelPage = async (session: Session, end: number, limit: number): Promise<ChannelPage> => {
  const { seqs, from } = await seqsBefore(session, end, limit + 1, hasEnvelope, CHANNEL_LOOKUP_MAX)
  return pageOf(session, seqs, limit, from)
}

/** The newest of these events, oldest first. `lookedFrom`: the log is looked through from there on, and may have more before; null = it has none. */
const pageOf = async (
  session: Session,
  seqs: readonly number[],
  limit: number,
  lookedFrom: number | null,
): Promise<ChannelPage> => {
  const envelopes = await envelopesOf(session, seqs.slice(-limit))
  const next = envelopes.length < seqs.length ? (envelopes[0]?.seq ?? lookedFrom) : lookedFrom
  return { envelopes, ...(next !== null && { next: eventId(next, session.incarnations.own) }) }
}
