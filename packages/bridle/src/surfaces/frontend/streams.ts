// A session's streams: its envelopes, and its health.

import * as v from 'valibot'
import type { Tier } from '../../kernel/catalogue.ts'
import { eventId } from '../../kernel/event.ts'
import { isOwnPlace, parseCursor, placeInLog } from '../../kernel/positions/cursor.ts'
import { withIncarnations } from '../../kernel/positions/incarnation.ts'
import { type LogPlace, placeText } from '../../kernel/positions/log-position.ts'
import { statusOf } from '../../kernel/projections/state.ts'
import type { Session } from '../../kernel/session/session.ts'
import { healthSnapshot } from '../../kernel/views/health-snapshot.ts'
import { badRequest } from '../http/router/errors.ts'
import { type Call, type Route, route } from '../http/router/route.ts'
import { findKey, findSession } from '../http/sessions/routes.ts'
import { replayFrom, replayWish } from '../http/streams/replay.ts'
import { cursorOf, eventStream, frame, streamTimes } from '../http/streams/sse.ts'
import { envelopeAudience, greeting, healthAudience, healthEnvelope, streamEnvelope, turnAudience } from './codec.ts'

/** Without one, everything that is shown: a client that knows of no tiers handles every type. */
export const tierWish = v.optional(v.picklist(['default', 'debug']), 'debug')

const streamQuery = v.looseObject({
  agent: v.optional(v.string()),
  tier: tierWish,
  after: v.optional(v.string()),
  resume_cursor: v.optional(v.string()),
  replay: v.optional(replayWish),
})
export const healthQuery = v.looseObject({
  agent: v.optional(v.string()),
  after: v.optional(v.string()),
  resume_cursor: v.optional(v.string()),
})

/** The same stream for chats and for background work. */
export const envelopeRoute = (path: string): Route =>
  route({
    method: 'get',
    path,
    scope: 'observe',
    summary: 'Server-sent envelopes of the session, live and from a cursor',
    session: findKey,
    query: streamQuery,
    answers: { 200: 'An event stream.' },
    handle: async (call) => {
      const session = await findSession(call)
      return session instanceof Response ? session : envelopes(call, session)
    },
  })

const envelopes = async (
  call: Call<v.InferOutput<typeof streamQuery>, undefined>,
  session: Session,
): Promise<Response> => {
  const { request, query, ports } = call
  const cursor = placeOf(session, request.headers.get('last-event-id'), query.after, query.resume_cursor)
  if (cursor instanceof Response) return cursor
  const { key, logs } = session
  const isLost = cursor !== null && !session.knows(cursor)
  const isShown = (event: Parameters<typeof streamEnvelope>[1]) => streamEnvelope(key, event, query.tier) !== null
  const since = isLost ? 0 : (cursor?.seq ?? (await replayFrom(session, query.replay ?? 'all', isShown)))
  return eventStream({
    audience: envelopeAudience(key, query.tier, logs),
    subscribers: session.subscribers,
    since,
    opening: hello(session, since, query.tier, isLost),
    ...streamTimes(ports),
  })
}

/** What comes of one prompt, from the moment it was taken to the end of its turn. */
export const turnStream = (
  { ports }: Pick<Call<unknown, unknown>, 'ports'>,
  session: Session,
  turn: { readonly runId: string; readonly since: number; readonly tier: Tier },
): Response => {
  const audience = turnAudience(session.key, turn.tier, turn.runId, () => session.state.head, session.logs)
  return eventStream({
    audience,
    isOver: audience.isOver,
    subscribers: session.subscribers,
    since: turn.since,
    opening: hello(session, turn.since, turn.tier, false, turn.runId),
    ...streamTimes(ports),
  })
}

/** Starts with the health as it is; with a cursor, only what changed since. */
export const healthStream = (call: Call<v.InferOutput<typeof healthQuery>, undefined>, session: Session): Response => {
  const { request, query, ports } = call
  const cursor = placeOf(session, request.headers.get('last-event-id'), query.after, query.resume_cursor)
  if (cursor instanceof Response) return cursor
  const { key, state, logs } = session
  const goesOn = cursor !== null && session.knows(cursor)
  const now = healthEnvelope(key, currentHealth(session), state.head, state.at)
  return eventStream({
    audience: healthAudience(key, logs),
    subscribers: session.subscribers,
    since: goesOn ? cursor.seq : state.head,
    // Its id is the head: nothing that changes the health lies between the two.
    ...(!goesOn && { opening: frame(now, placeText(state.head, logs.own)) }),
    ...streamTimes(ports),
  })
}

export const currentHealth = ({ key, state, logs }: Session) =>
  withIncarnations(healthSnapshot(key, state, statusOf(state), state.at), key.id, logs)

const hello = ({ key, state, logs }: Session, since: number, tier: Tier, reset: boolean, turnId?: string): string =>
  frame(
    greeting(key, since, state.at, {
      agent: key.agent,
      kind: state.lifecycle.kind,
      tier,
      last_event_id: eventId(state.head, logs.own),
      ...(turnId !== undefined && { turn_id: turnId }),
      // The cursor was not of this log: forget what you have, everything follows.
      ...(reset && { reset }),
    }),
  )

/** Null when the reader says nothing of where it left off. */
const placeOf = (
  session: Session,
  lastEventId: string | null,
  after: string | undefined,
  cursor: string | undefined,
): LogPlace | null | Response => {
  const given = cursorOf(lastEventId, after)
  if (given === undefined) return badRequest('The cursor is not an event id.')
  if (given !== null || cursor === undefined) return given
  const place = parseCursor(cursor)
  if (!place)
    return badRequest(
      'query: resume_cursor: Expected <kind>:<session>:<seq>, with ~<incarnation> where that is not the first',
    )
  if (!isOwnPlace(place, session.key.id, session.parent))
    return badRequest('query: resume_cursor: It is a cursor of another session')
  return placeInLog(place, session.key.id, session.logs)
}
