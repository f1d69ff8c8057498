// The Fabric document's own sockets.
import * as v from 'valibot'
import { privateAgent } from '../http/access/exposure.ts'
import { badRequest, faulted, notFound } from '../http/router/errors.ts'
import { findKey } from '../http/sessions/routes.ts'
import { replayFrom, replayWish } from '../http/streams/replay.ts'
import { type Opener, type SocketCall, type SocketRoute, socketRoute, told } from '../http/streams/socket-route.ts'
import { cursorOf } from '../http/streams/sse.ts'
import { isShown } from './codec.ts'
import { type FabricConnection, FabricSocket } from './connection.ts'

const query = v.looseObject({
  after: v.optional(v.string()),
  replay: v.optional(replayWish, '0'),
})

export const fabricSockets: readonly SocketRoute[] = [
  socketRoute({
    path: '/sessions/:id/ws',
    scope: 'observe',
    summary: 'A session’s events as they happen; cancel and approve come back the other way',
    query,
    session: findKey,
    wake: async (rested, head, ports) => {
      const connection = rested as FabricConnection
      const session = await ports.host.open(connection.key)
      return (socket) => new FabricSocket({ ...connection, since: head }, session, socket, ports, 'awake')
    },
    accept: async (call) => {
      try {
        return await watching(call)
      } catch (error) {
        return told(faulted(error))
      }
    },
  }),
]

const watching = async (call: SocketCall<v.InferOutput<typeof query>>): Promise<Opener | Response> => {
  const { access, ports } = call
  const key = await findKey(call)
  const closed = key instanceof Response ? null : privateAgent(ports, key.agent)
  if (closed) return told(closed)
  const session = key instanceof Response ? key : ((await ports.host.find(key)) ?? notFound())
  if (session instanceof Response) return told(session)
  const cursor = cursorOf(null, call.query.after)
  if (cursor === undefined) return badRequest('The cursor is not an event id.')
  const wish = cursor ? null : await replayFrom(session, call.query.replay, isShown(session.key))
  const from = cursor ?? { seq: wish ?? 0, incarnation: session.logs.own }
  const since = session.knows(from) ? from.seq : null
  const connection = { key: session.key, scopes: access.scopes, user: access.user, who: access.who, since }
  return (socket) => new FabricSocket(connection, session, socket, ports)
}
