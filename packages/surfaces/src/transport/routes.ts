import type { Key } from '@bridle/kernel/event'
import { mayOpen, ownerOf } from '@bridle/kernel/owner'
import { type LogPosition, parsePosition } from '@bridle/kernel/positions/log-position'
import { optionalId } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { agentNotFound } from '../http/access/unknown-agent.ts'
import { isOtherUsersId, isOtherUsersSession, userSessionId, viewerOf } from '../http/access/users.ts'
import { badRequest, Denial, isDenial, sessionNotFound } from '../http/denials/denial.ts'
import { findKey } from '../http/sessions/routes.ts'
import { workspaceInQuery, workspaceQuery } from '../http/sessions/workspace-choice.ts'
import {
  closeOnOpen,
  refuseSession,
  type SocketCall,
  type SocketRoute,
  socketRoute,
} from '../http/streams/socket-route.ts'
import { prepareWorkspace } from '../http/workspaces/session-workspace.ts'
import { openWorkspace } from '../http/workspaces/workspace-opening.ts'
import type { BranchWorkspace } from './commands.ts'
import { type HibernationState, TransportSocket } from './connection.ts'
import { stateEncoderOf } from './state-encoding.ts'

const query = v.looseObject({
  userId: v.optional(v.pipe(v.string(), v.nonEmpty())),
  sessionId: optionalId,
  agent: v.optional(v.string()),
  after: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,15}(~\d{1,9})?$/, 'Expected a number'),
      v.transform((text) => parsePosition(text) as LogPosition),
    ),
  ),
  approvals: v.optional(v.string()),
  marks: v.optional(v.string()),
  ...workspaceQuery,
})
type TransportCall = SocketCall<v.InferOutput<typeof query>>

export const transportSocketRoutes: readonly SocketRoute[] = [
  socketRoute({
    path: '/ws',
    exposureKind: 'ws',
    scope: 'observe',
    summary: 'State and deltas of a session; commands come back the other way',
    query,
    session: (call) => sessionOf(call),
    restore: async (hibernated, head, ports) => {
      const { connection, at } = hibernated as HibernationState
      const session = await ports.host.open(connection.key)
      // During hibernation, another user may have created the session that the socket waited for.
      if (session.exists && !mayOpen(connection.viewer ?? null, ownerOf(session.key, session.state)))
        throw new Error('The session is another user’s.')
      // A socket that hibernated while behind gets the whole state.
      const isExact = at === head && session.state.head === head
      return (socket) =>
        new TransportSocket({ ...connection, ...(!isExact && { after: null }) }, session, socket, ports, 'awake')
    },
    accept: async (call) => {
      const { access, ports, query } = call
      const key = await sessionOf(call)
      if (isDenial(key)) return refuseSession(key)
      const closed = refusePrivateAgent(call, key.agent, 'ws')
      if (closed) return closeOnOpen(closed)
      const choice = workspaceInQuery(query)
      if (isDenial(choice)) return choice
      const refused = choice && (await openWorkspace(call, key, choice))
      if (refused) return refused
      const session = await ports.host.open(key)
      const viewer = await viewerOf(access)
      const connection = {
        key,
        scopes: access.scopes,
        user: access.user,
        viewer,
        who: access.who,
        // A position of another incarnation refers to a state that the client does not have.
        after: query.after && session.canResumeFrom(query.after) ? query.after.seq : null,
        hinted: knowsApprovals(query) ? null : [],
      }
      // Only new clients need the whole state.
      if (connection.after === null)
        await stateEncoderOf(session).prepare(session.state.conversation, session.takeTurns)
      return (socket) => new TransportSocket(connection, session, socket, ports, 'new', branchWorkspaceOf(call))
    },
  }),
]

/** A branch gets its own folder. Targets with hibernating sockets have no workspaces. */
const branchWorkspaceOf = (call: TransportCall): BranchWorkspace | null =>
  call.ports.workspaces
    ? ({ key, state: { lifecycle } }, child) =>
        prepareWorkspace(call, child, lifecycle.settings, { kind: lifecycle.kind, parent: key })
    : null

/** A client that uses any extension also shows approvals: `HarnessClient` asks for marks. */
const knowsApprovals = ({ approvals, marks, after }: TransportCall['query']): boolean =>
  approvals === '1' || marks === '1' || after !== undefined

const sessionOf = async (call: TransportCall): Promise<Key | Denial> => {
  const key = await requestedKey(call)
  const { sessionId } = call.access
  if (isDenial(key)) return key
  if (sessionId !== null && sessionId !== key.id) return sessionNotFound(key.id)
  return (await isOtherUsersSession(call.access, key, call.ports.directory)) ? sessionNotFound(key.id) : key
}

const requestedKey = async (call: TransportCall): Promise<Key | Denial> => {
  const { userId, sessionId } = call.query
  if (sessionId !== undefined) return keyBySession(call, sessionId)
  return userId === undefined
    ? badRequest('Say whose session by ?userId= or which by ?sessionId=.')
    : keyByUser(call, userId)
}

const keyByUser = async (
  { access, ports, query: { agent = ports.defaultAgent } }: TransportCall,
  userId: string,
): Promise<Key | Denial> => {
  if (access.user !== null && access.user !== userId)
    return new Denial('forbidden', 'This credential is another user’s.')
  return ports.agents.has(agent)
    ? { tenant: access.tenant, agent, id: await userSessionId(userId) }
    : agentNotFound(agent, { access, ports })
}

/** Finds sessions of any wire. One that does not exist yet waits for its first prompt. */
const keyBySession = async (call: TransportCall, id: string): Promise<Key | Denial> => {
  const {
    access,
    ports,
    query: { agent = ports.defaultAgent },
  } = call
  if (await isOtherUsersId(access, id)) return sessionNotFound(id)
  const found = await findKey({ ...call, param: () => id })
  const isNew = isDenial(found) && found.denied === 'not_found'
  if (!isNew) return found
  return ports.agents.has(agent) ? { tenant: access.tenant, agent, id } : agentNotFound(agent, { access, ports })
}
