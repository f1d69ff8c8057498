// `GET /ws`: which session it is, and who may open it.
import * as v from 'valibot'
import { isId, type Key } from '../../kernel/event.ts'
import { badRequest, failure, notFound } from '../http/errors.ts'
import { digest, hex } from '../http/secrets.ts'
import { type SocketCall, type SocketRoute, socketRoute, told } from '../http/socket-route.ts'
import { TransportSocket } from './socket.ts'

const query = v.looseObject({
  userId: v.optional(v.pipe(v.string(), v.nonEmpty())),
  sessionId: v.optional(
    v.pipe(
      v.string(),
      v.check((id) => isId(id), 'Expected an id'),
    ),
  ),
  agent: v.optional(v.string()),
  after: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'Expected a number'), v.transform(Number))),
})
type Call = SocketCall<v.InferOutput<typeof query>>

export const transportSockets: readonly SocketRoute[] = [
  socketRoute({
    path: '/ws',
    scope: 'observe',
    summary: 'State and deltas of a session; commands come back the other way',
    query,
    accept: async (call) => {
      const { access, ports, query: asked } = call
      const key = await keyOf(call)
      if (key instanceof Response) return key.status === 404 || key.status === 409 ? told(key) : key
      // A ticket for one session opens that one.
      if (access.sessionId !== null && access.sessionId !== key.id) return told(notFound())
      const session = await ports.host.open(key)
      const connection = { key, scopes: access.scopes, after: asked.after ?? null }
      return (socket) => new TransportSocket(connection, session, socket, ports)
    },
  }),
]

const keyOf = async (call: Call): Promise<Key | Response> => {
  const { userId, sessionId } = call.query
  if (sessionId !== undefined) return bySession(call, sessionId)
  return userId === undefined
    ? badRequest('Say whose session by ?userId= or which by ?sessionId=.')
    : byUser(call, userId)
}

const byUser = async (
  { access, ports, query: { agent = ports.defaultAgent } }: Call,
  userId: string,
): Promise<Key | Response> => {
  if (access.user !== null && access.user !== userId) return failure('forbidden', 'This credential is another user’s.')
  if (!ports.agents.has(agent)) return notFound()
  const plain = `user:${userId}`
  const id = isId(plain) ? plain : `user:${hex(await digest(userId))}`
  return { tenant: access.tenant, agent, id }
}

/** Any session, whatever wire made it; one that is not there yet waits for its first prompt. */
const bySession = async ({ access, ports, query: { agent } }: Call, id: string): Promise<Key | Response> => {
  const keys = (await ports.directory.find(access.tenant, id)).filter(
    (key) => agent === undefined || key.agent === agent,
  )
  const [key, ...others] = keys
  if (others.length > 0) {
    const agents = keys.map((each) => each.agent).join(', ')
    return failure('conflict', `Several agents have this session: ${agents}. Say which by ?agent=.`)
  }
  if (key) return key
  const owner = agent ?? ports.defaultAgent
  return ports.agents.has(owner) ? { tenant: access.tenant, agent: owner, id } : notFound()
}
