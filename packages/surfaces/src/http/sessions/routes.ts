// Routes shared by all agents and wires, with helpers to find a session and respond.

import { present } from '@bridle/events/json'
import { type Command, isRefusal } from '@bridle/kernel/commands'
import { isId, type Key } from '@bridle/kernel/event'
import type { ListReader } from '@bridle/kernel/ports/directory'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { Session } from '@bridle/kernel/session/session'
import type { SessionCard, SessionDetail, SessionPage } from '@bridle/wire/http/wire'
import { sessionCard } from '@bridle/wire/views/detail'
import { wholeSession } from '@bridle/wire/views/whole-session'
import * as v from 'valibot'
import { engineOf } from '../access/agent-engine.ts'
import type { Access } from '../access/authenticate.ts'
import { actorField, openableSessions, viewerField } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { sessionDetailAnswer, sessionPageAnswer } from '../answers/session-answers.ts'
import { agentInQuery, badRequest, type Denial, isDenial, missingSession, sessionNotFound } from '../denials/denial.ts'
import { refusalDenial } from '../denials/kernel-denials.ts'
import { publicPath } from '../denials/public-path.ts'
import { LIST_PAGE_MAX } from '../limits.ts'
import { commandIdOf } from '../requests/command-id.ts'
import { jsonWithTag } from '../requests/conditional-requests.ts'
import { optionalField, optionalText, optionsType } from '../requests/request-fields.ts'
import { get, limitSchema, omitSchema, type Route, type RouteCall, type RouteContext, route } from '../router/route.ts'
import { lookUp } from './event-lookup.ts'
import { importedPart } from './import-confirmation.ts'
import { listFilter, listQueryEntries } from './list-filter.ts'
import { sessionRow } from './session-rows.ts'

export const sessionRoutes: readonly Route[] = [
  get('/sessions', {
    scope: 'observe',
    summary: 'A page of sessions, newest change first, or in the order in which they were made',
    call: 'sessions',
    refusesUnknownParameters: true,
    query: optionsType('SessionFilter', 'A choice of sessions, their order, and the page.', {
      ...listQueryEntries,
      order: optionalField(
        'updated (default): newest change first. created: oldest first; pages show each session once, even if sessions change in the meantime.',
        v.picklist(['updated', 'created']),
      ),
      limit: optionalField('The number of sessions on a page.', limitSchema(LIST_PAGE_MAX)),
      cursor: optionalText('The `next` of the page before.'),
    }),
    answers: { 200: sessionPageAnswer },
    handle: async ({ access, query, ports, request }) => {
      const { order, limit, cursor } = query
      const filter = {
        ...listFilter(ports, query),
        ...present({ order, limit, cursor }),
        ...(await viewerField(access)),
      }
      const page = await pageOr400(ports.directory.list(access.tenant, filter, listReader(access, request)))
      if (isDenial(page)) return page
      return json<SessionPage>({
        sessions: page.sessions.map((session) => sessionRow(session, engineOf(ports.agents, session.key.agent))),
        ...(page.next !== undefined && { next: page.next }),
      })
    },
  }),
  get('/sessions/:id', {
    scope: 'observe',
    summary: 'A session as a whole, by its id',
    call: { name: 'session', fixed: { omit: 'channel' } },
    session: (arrival) => findKey(arrival),
    query: v.looseObject({ omit: omitSchema }),
    headers: ['If-None-Match', 'If-Match'],
    answers: { 200: sessionDetailAnswer },
    handle: async (call) => {
      const session = await findSession(call)
      if (isDenial(session)) return session
      const { omit } = call.query
      return jsonWithTag<SessionDetail>(call.request, {
        ...(await lookUp(session, (facts) => wholeSession(facts, agentOf(call, session), omit))),
        ...(await importedPart(call.ports, session, omit)),
      })
    },
  }),
]

export const commandRoute = <const B extends v.GenericSchema<unknown, { readonly actor?: string | undefined }>>({
  command,
  ...row
}: Pick<Route, 'path' | 'summary' | 'call' | 'stopsWork' | 'answers'> & {
  readonly method?: Route['method']
  readonly body: B
  readonly command: (body: v.InferOutput<B>) => object
}): Route =>
  route({
    method: 'post',
    scope: 'operate',
    session: (arrival) => findKey(arrival),
    headers: ['Idempotency-Key'],
    ...row,
    handle: (call) => {
      const { actor } = call.body as { readonly actor?: string }
      const sent = { ...command(call.body as v.InferOutput<B>), ...actorField(call.access, actor) }
      return sendAndShow(call, requireKey(call), sent as Command)
    },
  })

export const sendAndShow = async (
  call: Pick<RouteCall<unknown, unknown>, 'ports' | 'request'>,
  key: Key,
  command: Command,
): Promise<Response | Denial> => {
  const id = commandIdOf(call.request, command)
  if (isDenial(id)) return id
  const answer = await call.ports.host.send(key, command, id)
  return isRefusal(answer) ? refusalDenial(answer, key.id) : cardResponse(call, key, answer)
}

/** `path` becomes the Location header. */
export const respondWithCard = <R extends SessionCard = never>(
  call: Pick<RouteCall<unknown, unknown>, 'ports' | 'request'>,
  key: Key,
  answer: ReceiptFields<NoInfer<R>>,
  { status, path }: { readonly status: 201 | 202; readonly path: string },
): Promise<Response | Denial> =>
  cardResponse(call, key, answer, { status, headers: { location: publicPath(call.request, path) } })

const cardResponse = async (
  call: Pick<RouteCall<unknown, unknown>, 'ports'>,
  key: Key,
  answer: { readonly seq?: number },
  init?: ResponseInit,
): Promise<Response | Denial> => {
  const session = await call.ports.host.find(key)
  if (!session) return sessionNotFound(key.id)
  const { seq: _seq, ...fields } = answer
  return json<SessionCard>({ ...sessionCard(session, agentOf(call, session)), ...fields }, init)
}

type ReceiptFields<R extends SessionCard> = Omit<R, keyof SessionCard> &
  Partial<SessionCard> & { readonly seq?: number }

const agentOf = ({ ports }: Pick<RouteCall<unknown, unknown>, 'ports'>, { key }: Session) =>
  ports.agents.get(key.agent) ?? null

export const requireKey = ({ key }: Pick<RouteCall<unknown, unknown>, 'key'>): Key => {
  if (!key) throw new Error('This row names no session.')
  return key
}

export const onSession =
  <Q, B>(act: (session: Session, call: RouteCall<Q, B>) => Promise<Response | Denial> | Response | Denial) =>
  async (call: RouteCall<Q, B>): Promise<Response | Denial> => {
    const session = await findSession(call)
    return isDenial(session) ? session : act(session, call)
  }

/** The session may have been removed since the router found its key. */
export const findSession = async (call: RouteCall<unknown, unknown>): Promise<Session | Denial> => {
  const key = call.key ?? (await findKey(call))
  return isDenial(key) ? key : ((await call.ports.host.find(key)) ?? missingSession(call))
}

/** The oldest session wins, so that a newer agent's session changes nothing for existing callers; `?agent=` overrides. */
export const findKey = async ({
  param,
  access,
  ports,
  request,
}: Pick<RouteContext, 'param' | 'access' | 'ports'> & { readonly request: Pick<Request, 'url'> }): Promise<
  Key | Denial
> => {
  const id = param('id')
  const agent = agentInQuery(request)
  if (!isId(id)) return sessionNotFound(id, agent)
  const found = await openableSessions(access, await ports.directory.find(access.tenant, id))
  return found.find(({ key }) => agent === null || key.agent === agent)?.key ?? sessionNotFound(id, agent)
}

/** The store schedules fairly among callers, and stops for one that has left. */
export const listReader = ({ who }: Pick<Access, 'who'>, { signal }: Pick<Request, 'signal'>): ListReader => ({
  who,
  signal,
})

export const pageOr400 = <T>(page: Promise<T>): Promise<T | Denial> =>
  page.catch((error: unknown) => {
    if (error instanceof StoreFault && error.code === 'refused')
      return badRequest('query: cursor: Expected the `next` of an earlier answer')
    throw error
  })
