import { unavailability } from '@bridle/kernel/agent-info'
import { isId, type Key } from '@bridle/kernel/event'
import { mayOpen, ownerOf } from '@bridle/kernel/owner'
import type * as v from 'valibot'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { unknownAgent } from '../http/access/unknown-agent.ts'
import { openableSessions, viewerOf } from '../http/access/users.ts'
import { badRequest, badSessionId, Denial, isDenial, missingSession } from '../http/denials/denial.ts'
import { faultDenial } from '../http/denials/kernel-denials.ts'
import { findKey } from '../http/sessions/routes.ts'
import { workspaceInQuery } from '../http/sessions/workspace-choice.ts'
import { type SocketCall, type SocketOpener, type SocketRoute, socketRoute } from '../http/streams/socket-route.ts'
import { parseStreamCursor } from '../http/streams/sse.ts'
import { openWorkspace } from '../http/workspaces/workspace-opening.ts'
import { CLOSE, refuseDenied, refuseLine } from './closing.ts'
import { type VoiceConnection, VoiceSocket } from './connection.ts'
import { parseVoiceParameters, type VoiceParameters, voiceQuery } from './parameters.ts'

type VoiceCall = SocketCall<v.InferOutput<typeof voiceQuery>>

/** Agent of a new session, unless the client names one. */
const VOICE_AGENT = 'voice'

export const voiceSocketRoutes: readonly SocketRoute[] = [
  socketRoute({
    path: '/sessions/:id/voice',
    scope: 'operate',
    summary: 'Talk with a session: audio both ways, with captions from its log',
    query: voiceQuery,
    session: (call) => sessionOf(call),
    refuse: refuseDenied,
    restore: async (hibernated, head, ports) => {
      const connection = hibernated as VoiceConnection
      const session = await ports.host.open(connection.key)
      if (session.exists && !mayOpen(connection.viewer, ownerOf(session.key, session.state)))
        throw new Error('The session is another user’s.')
      return (socket) => new VoiceSocket({ ...connection, since: head }, session, socket, ports, 'awake')
    },
    accept: async (call) => {
      try {
        return await openConnection(call)
      } catch (error) {
        return refuseDenied(faultDenial(error))
      }
    },
  }),
]

const openConnection = async (call: VoiceCall): Promise<SocketOpener> => {
  const { access, ports, query } = call
  const key = await sessionOf(call)
  if (isDenial(key)) return refuseDenied(key)
  const denial = refusePrivateAgent(call, key.agent)
  if (denial) return refuseDenied(denial)
  const parameters = parametersOf(call)
  if (isDenial(parameters)) return refuseDenied(parameters)
  const choice = workspaceInQuery(query)
  const refused = isDenial(choice) ? choice : choice && (await openWorkspace(call, key, choice))
  if (refused) return refuseDenied(refused)
  const session = await ports.host.open(key)
  const agent = session.exists ? undefined : ports.agents.get(key.agent)
  const unavailable = agent ? unavailability(agent) : null
  if (unavailable !== null) return refuseLine({ code: 'agent_unavailable', message: unavailable }, CLOSE.refused)
  const cursor = parseStreamCursor(null, query.after)
  if (cursor === undefined) return refuseDenied(badRequest('query: after: Expected the id of an event, such as ev-9'))
  const connection: VoiceConnection = {
    key,
    user: access.user,
    viewer: await viewerOf(access),
    who: access.who,
    line: parameters.line ?? crypto.randomUUID(),
    parameters,
    since: cursor && session.exists && session.canResumeFrom(cursor) ? cursor.seq : null,
  }
  return (socket) => new VoiceSocket(connection, session, socket, ports, 'new')
}

const parametersOf = ({ query, ports }: VoiceCall): VoiceParameters | Denial => {
  const parameters = parseVoiceParameters(query)
  if ('problem' in parameters) return badRequest(`query: ${parameters.problem}`)
  return parameters.instructions !== undefined && ports.voiceInstructions === false
    ? new Denial('forbidden', 'This server takes no instructions of clients. Leave ?instructions= out.')
    : parameters
}

/** An unknown id creates a session. An invalid query is refused here, in the gateway, so that no object is woken for it. */
const sessionOf = async (call: VoiceCall): Promise<Key | Denial> => {
  const { access, ports, param, query } = call
  const parameters = parametersOf(call)
  if (isDenial(parameters)) return parameters
  const id = param('id')
  if (!isId(id)) return badSessionId()
  const found = await findKey(call)
  if (!isDenial(found)) return found
  // A session of another user looks like none, but no second one is created beside it.
  const sameId = await ports.directory.find(access.tenant, id)
  if ((await openableSessions(access, sameId)).length < sameId.length) return missingSession(call)
  const { agent = VOICE_AGENT } = query
  if (!ports.agents.has(agent)) return badRequest(`query: agent: ${unknownAgent(agent, call)}`)
  return { tenant: access.tenant, agent, id }
}
