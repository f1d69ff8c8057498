import { READ_CHARS } from '@bridle/events/limits'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { isId, type Key } from '@bridle/kernel/event'
import { runSeq } from '@bridle/kernel/ids'
import { positionText } from '@bridle/kernel/positions/log-position'
import { runOutcome } from '@bridle/kernel/session/run-outcome'
import type { Session } from '@bridle/kernel/session/session'
import type { RunStatus, SessionRemoval, TimelinePage } from '@bridle/wire/fabric/wire'
import { jsonObject } from '@bridle/wire/http/wire/request-values'
import { artifactsOf } from '@bridle/wire/views/artifact-list'
import { sessionDetail } from '@bridle/wire/views/detail'
import * as v from 'valibot'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { agentNotFound } from '../http/access/unknown-agent.ts'
import { guardOwnership, viewerOf } from '../http/access/users.ts'
import { json } from '../http/answers/answer-schema.ts'
import {
  badRequest,
  badSessionId,
  type Denial,
  isDenial,
  missingSession,
  partNotFound,
} from '../http/denials/denial.ts'
import { faultDenial } from '../http/denials/kernel-denials.ts'
import { jsonWithTag } from '../http/requests/conditional-requests.ts'
import { get, limitSchema, post, type Route, type RouteCall, type RouteContext, remove } from '../http/router/route.ts'
import { hasRun } from '../http/sessions/event-lookup.ts'
import { findKey, findSession, onSession, requireKey } from '../http/sessions/routes.ts'
import { workspaceInQuery, workspaceQuery } from '../http/sessions/workspace-choice.ts'
import { replaySchema, replayStart } from '../http/streams/replay.ts'
import {
  closeOnOpen,
  type SocketCall,
  type SocketOpener,
  type SocketRoute,
  socketRoute,
} from '../http/streams/socket-route.ts'
import { eventStream, parseStreamCursor, sseFrame, streamTimings } from '../http/streams/sse.ts'
import { ANOTHER, hasWorkspace } from '../http/workspaces/workspace-opening.ts'
import {
  acceptedRunAnswer,
  agentEventStreamAnswer,
  invokeFailureAnswer,
  invokeResultAnswer,
  removalAnswer,
  runStatusAnswer,
  timelineAnswer,
} from './answers.ts'
import { isCarried, resetEvent, streamAudience } from './codec.ts'
import { type FabricConnection, FabricSocket } from './connection.ts'
import { invoke } from './invoke.ts'
import { extendTimeline, type TimelineDraft } from './timeline.ts'

/** Continue with `?after=`. */
const TIMELINE_MAX = 50_000
/** Pages with large events are short, so a response has at most about 10 MB. */
const TIMELINE_PAGES_MAX = Math.ceil(10_000_000 / READ_CHARS)
/** Short enough to let other sessions run in between. */
const TIMELINE_PAGE = 1_000

const path = '/agents/:name/:id'
const streamQuery = v.looseObject({
  after: v.optional(v.string()),
  replay: v.optional(replaySchema),
})

export const fabricRoutes: readonly Route[] = [
  post(path, {
    scope: 'operate',
    summary: 'Invoke the agent for this session; answers when the run has ended',
    session: (arrival) => sessionKeyFor(arrival),
    query: v.looseObject(workspaceQuery),
    body: jsonObject,
    headers: ['Idempotency-Key', 'Prefer'],
    answers: { 200: invokeResultAnswer, 202: acceptedRunAnswer, 500: invokeFailureAnswer },
    handle: (call) => invoke(call, agentOf(call)),
  }),
  get(path, {
    scope: 'observe',
    summary: 'The history of a session: its prompts and answers, events, artifacts and approvals',
    call: 'timeline',
    session: (arrival) => sessionKeyFor(arrival),
    query: v.looseObject({
      after: v.optional(v.string()),
      limit: v.optional(limitSchema(TIMELINE_MAX)),
    }),
    headers: ['If-None-Match', 'If-Match'],
    answers: { 200: timelineAnswer },
    handle: (call) => timeline(call),
  }),
  remove(path, {
    scope: 'operate',
    summary: 'Erase the session',
    call: { name: 'remove', answer: 'void' },
    session: (arrival) => sessionKeyFor(arrival),
    answers: { 200: removalAnswer },
    handle: async (call) => {
      const key = requireKey(call)
      const removed = await call.ports.host.remove(key)
      return removed ? json<SessionRemoval>({ deleted: true, sessionId: key.id }) : missingSession(call)
    },
  }),
  get(`${path}/stream`, {
    scope: 'observe',
    summary: 'Server-sent AgentEvents of this session; may be opened before it exists',
    session: (arrival) => sessionKeyFor(arrival),
    query: streamQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: agentEventStreamAnswer },
    handle: async (call) => stream(call, await call.ports.host.open(requireKey(call))),
  }),
  get('/sessions/:id/events', {
    scope: 'observe',
    summary: 'The same stream by session id',
    session: findKey,
    query: streamQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: agentEventStreamAnswer },
    handle: onSession((session, call) => stream(call, session)),
  }),
  get('/sessions/:id/runs/:runId', {
    scope: 'observe',
    summary: 'The status of a run, and its outcome once it has ended',
    call: 'run',
    session: findKey,
    answers: { 200: runStatusAnswer },
    handle: onSession((session, call) => runStatus(session, call.param('runId'))),
  }),
]

const runStatus = async (session: Session, runId: string): Promise<Response | Denial> => {
  const { run, queue } = session.state.lifecycle
  if (!(await hasRun(session, runId))) return partNotFound('run', runId)
  if (queue.some((prompt) => prompt.runId === runId)) return json<RunStatus>({ runId, status: 'queued' })
  if (run?.runId === runId)
    return json<RunStatus>({ runId, status: session.state.conversation.sessionStatus ?? 'running' })
  const outcome = await runOutcome(session, runId, (runSeq(runId) as number) - 1)
  if (outcome.status !== 'failed') return json<RunStatus>({ runId, ...outcome })
  return json<RunStatus>({ runId, status: 'failed', error: { message: outcome.message, reason: outcome.reason } })
}

const timeline = async (
  call: RouteCall<{ after?: string | undefined; limit?: number | undefined }, undefined>,
): Promise<Response | Denial> => {
  const session = await findSession(call)
  if (isDenial(session)) return session
  const history: TimelineDraft = { entries: [], events: [], approvals: [] }
  const { limit = TIMELINE_MAX } = call.query
  const { own } = session.incarnations
  const cursor = parseStreamCursor(null, call.query.after)
  if (cursor === undefined) return badRequest('query: after: Expected the id of an event, such as ev-9')
  // A cursor of another incarnation belongs to a different history, so restart with `reset`.
  const isLost = cursor !== null && cursor.seq > 0 && cursor.incarnation !== own
  const after = isLost ? 0 : (cursor?.seq ?? 0)
  let seen = after
  for (let pages = 0; seen < session.state.head && seen - after < limit && pages < TIMELINE_PAGES_MAX; pages++) {
    const events = await session.read(seen, Math.min(TIMELINE_PAGE, limit - (seen - after)))
    const last = events.at(-1)
    if (!last) break
    extendTimeline(history, session.key, events, session.incarnations)
    seen = last.seq
  }
  const { approvals: _open, messages, ...detail } = sessionDetail(session, agentOf(call))
  const more = seen < session.state.head ? { next: own === 1 ? seen : positionText(seen, own) } : {}
  const reset = isLost ? { reset: true } : {}
  return jsonWithTag<TimelinePage>(call.request, {
    ...detail,
    ...history,
    ...artifactsOf(session),
    messages,
    ...more,
    ...reset,
  })
}

const stream = async (
  call: RouteCall<v.InferOutput<typeof streamQuery>, unknown>,
  session: Session,
): Promise<Response | Denial> => {
  const { request, query, ports } = call
  const cursor = parseStreamCursor(request.headers.get('last-event-id'), query.after)
  if (cursor === undefined) return badRequest('The cursor is not an event id.')
  const { key, incarnations } = session
  const { head, at } = session.state
  const isLost = cursor !== null && !session.canResumeFrom(cursor)
  const viewer = await viewerOf(call.access)
  return eventStream({
    audience: streamAudience(key, incarnations),
    subscribers: session.subscribers,
    since: isLost ? 0 : (cursor?.seq ?? (await replayStart(session, query.replay ?? 'all', isCarried(key)))),
    ...(isLost && { opening: sseFrame(resetEvent(key, head, at, incarnations)) }),
    guard: (end) => guardOwnership(viewer, session, end),
    ...streamTimings(ports),
  })
}

const sessionKeyFor = ({ param, access, ports }: RouteContext): Key | Denial => {
  const agent = ports.agents.get(param('name'))
  const id = param('id')
  if (!agent) return agentNotFound(param('name'), { access, ports })
  const closed = refusePrivateAgent({ access, ports }, agent.name)
  if (closed) return closed
  if (!isId(id)) return badSessionId()
  return { tenant: access.tenant, agent: agent.name, id }
}

const agentOf = ({ param, ports }: RouteContext): AgentInfo => ports.agents.get(param('name')) as AgentInfo

const socketQuery = v.looseObject({
  after: v.optional(v.string()),
  replay: v.optional(replaySchema, '0'),
  ...workspaceQuery,
})

export const fabricSocketRoutes: readonly SocketRoute[] = [
  socketRoute({
    path: '/sessions/:id/ws',
    scope: 'observe',
    summary: 'A session’s events as they happen; cancel and approve come back the other way',
    query: socketQuery,
    session: findKey,
    restore: async (hibernated, head, ports) => {
      const connection = hibernated as FabricConnection
      const session = await ports.host.open(connection.key)
      return (socket) => new FabricSocket({ ...connection, since: head }, session, socket, ports, 'awake')
    },
    accept: async (call) => {
      try {
        return await openConnection(call)
      } catch (error) {
        return closeOnOpen(faultDenial(error))
      }
    },
  }),
]

const openConnection = async (call: SocketCall<v.InferOutput<typeof socketQuery>>): Promise<SocketOpener | Denial> => {
  const { access, ports } = call
  const key = await findKey(call)
  const closed = isDenial(key) ? null : refusePrivateAgent(call, key.agent)
  if (closed) return closeOnOpen(closed)
  const session = isDenial(key) ? key : ((await ports.host.find(key)) ?? missingSession(call))
  if (isDenial(session)) return closeOnOpen(session)
  const choice = workspaceInQuery(call.query)
  if (isDenial(choice)) return choice
  if (choice && !(await hasWorkspace(call, session.key, choice))) return badRequest(`query: workspace: ${ANOTHER}`)
  const cursor = parseStreamCursor(null, call.query.after)
  if (cursor === undefined) return badRequest('The cursor is not an event id.')
  const start = cursor ? null : await replayStart(session, call.query.replay, isCarried(session.key))
  const from = cursor ?? { seq: start ?? 0, incarnation: session.incarnations.own }
  const since = session.canResumeFrom(from) ? from.seq : null
  const connection = { key: session.key, scopes: access.scopes, user: access.user, who: access.who, since }
  return (socket) => new FabricSocket(connection, session, socket, ports)
}
