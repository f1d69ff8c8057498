import type { Tier } from '@bridle/events/catalogue'
import { type AnyEvent, eventId } from '@bridle/kernel/event'
import { isOwnPosition, parseCursor, positionInLog } from '@bridle/kernel/positions/cursor'
import { withIncarnations } from '@bridle/kernel/positions/incarnation'
import { type LogPosition, positionText } from '@bridle/kernel/positions/log-position'
import { statusOf } from '@bridle/kernel/projections/state'
import type { Session } from '@bridle/kernel/session/session'
import { healthSnapshot } from '@bridle/kernel/views/health-snapshot'
import { streamEnvelope } from '@bridle/wire/frontend/envelope'
import * as v from 'valibot'
import { badRequest, type Denial, isDenial } from '../http/denials/denial.ts'
import { get, type Route, type RouteCall } from '../http/router/route.ts'
import { findKey, onSession } from '../http/sessions/routes.ts'
import { replaySchema, replayStart } from '../http/streams/replay.ts'
import { eventStream, parseStreamCursor, sseFrame, streamTimings } from '../http/streams/sse.ts'
import { envelopeStreamAnswer } from './answers.ts'
import { envelopeAudience, greeting, healthAudience, healthEnvelope, isOmitted, turnAudience } from './codec.ts'

/** More than all built-in types together, and some of an agent's own. */
const OMIT_CHARS_MAX = 2_000

/** Defaults to the larger tier: a client that names no tier handles every type. */
export const tierSchema = v.optional(v.picklist(['default', 'debug']), 'debug')

const streamQuery = v.looseObject({
  tier: tierSchema,
  after: v.optional(v.string()),
  resume_cursor: v.optional(v.string()),
  replay: v.optional(replaySchema),
  omit: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(OMIT_CHARS_MAX),
      v.transform((text) => [...new Set(text.split(',').map((type) => type.trim()))].filter(Boolean).sort()),
    ),
    '',
  ),
})
export const healthQuery = v.looseObject({
  after: v.optional(v.string()),
  resume_cursor: v.optional(v.string()),
})

export const envelopeRoute = (path: string): Route =>
  get(path, {
    scope: 'observe',
    summary: 'Server-sent envelopes of the session, live and from a cursor',
    session: findKey,
    query: streamQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: envelopeStreamAnswer },
    handle: onSession((session, call) => envelopeStream(call, session)),
  })

const envelopeStream = async (
  call: RouteCall<v.InferOutput<typeof streamQuery>, unknown>,
  session: Session,
): Promise<Response | Denial> => {
  const { request, query, ports } = call
  const cursor = requestedCursor(session, request.headers.get('last-event-id'), query.after, query.resume_cursor)
  if (isDenial(cursor)) return cursor
  const { key, incarnations } = session
  const isLost = cursor !== null && !session.canResumeFrom(cursor)
  const { omit } = query
  const isShown = (event: AnyEvent) => !isOmitted(omit, event) && streamEnvelope(key, event, query.tier) !== null
  const since = isLost ? 0 : (cursor?.seq ?? (await replayStart(session, query.replay ?? 'all', isShown)))
  return eventStream({
    audience: envelopeAudience(key, query.tier, incarnations, omit),
    subscribers: session.subscribers,
    since,
    opening: greetingFrame(session, since, query.tier, isLost),
    ...streamTimings(ports),
  })
}

export const turnStream = (
  { ports }: Pick<RouteCall<unknown, unknown>, 'ports'>,
  session: Session,
  turn: { readonly runId: string; readonly since: number; readonly tier: Tier },
): Response => {
  const audience = turnAudience(session.key, turn.tier, turn.runId, () => session.state.head, session.incarnations)
  return eventStream({
    audience,
    isOver: audience.isOver,
    subscribers: session.subscribers,
    since: turn.since,
    opening: greetingFrame(session, turn.since, turn.tier, false, turn.runId),
    ...streamTimings(ports),
  })
}

/** Starts with the current health, or with a cursor only sends later changes. */
export const healthStream = (
  call: RouteCall<v.InferOutput<typeof healthQuery>, unknown>,
  session: Session,
): Response | Denial => {
  const { request, query, ports } = call
  const cursor = requestedCursor(session, request.headers.get('last-event-id'), query.after, query.resume_cursor)
  if (isDenial(cursor)) return cursor
  const { key, state, incarnations } = session
  const isResumed = cursor !== null && session.canResumeFrom(cursor)
  const now = healthEnvelope(key, currentHealth(session), state.head, state.at)
  return eventStream({
    audience: healthAudience(key, incarnations),
    subscribers: session.subscribers,
    since: isResumed ? cursor.seq : state.head,
    // The frame's id is the head, because no health change lies between the two.
    ...(!isResumed && { opening: sseFrame(now, positionText(state.head, incarnations.own)) }),
    ...streamTimings(ports),
  })
}

export const currentHealth = ({ key, state, incarnations }: Session) =>
  withIncarnations(healthSnapshot(key, state, statusOf(state), state.at), key.id, incarnations)

const greetingFrame = (
  { key, state, incarnations }: Session,
  since: number,
  tier: Tier,
  reset: boolean,
  turnId?: string,
): string =>
  sseFrame(
    greeting(key, since, state.at, {
      agent: key.agent,
      kind: state.lifecycle.kind,
      tier,
      last_event_id: eventId(state.head, incarnations.own),
      ...(turnId !== undefined && { turn_id: turnId }),
      // The cursor is not from this log: the client drops its events and receives all again.
      ...(reset && { reset }),
    }),
  )

const requestedCursor = (
  session: Session,
  lastEventId: string | null,
  after: string | undefined,
  cursor: string | undefined,
): LogPosition | null | Denial => {
  const position = parseStreamCursor(lastEventId, after)
  if (position === undefined) return badRequest('The cursor is not an event id.')
  if (position !== null || cursor === undefined) return position
  const parsed = parseCursor(cursor)
  if (!parsed)
    return badRequest(
      'query: resume_cursor: Expected <kind>:<session>:<seq>, with ~<incarnation> where that is not the first',
    )
  if (!isOwnPosition(parsed, session.key.id, session.parent))
    return badRequest('query: resume_cursor: It is a cursor of another session')
  return positionInLog(parsed, session.key.id, session.incarnations)
}
