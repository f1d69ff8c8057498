// The Fabric document's own sockets.
import * as v from 'valibot'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { badRequest, type Denial, isDenial, notFound } from '../http/router/denial.ts'
import { faultDenial } from '../http/router/kernel-denials.ts'
import { findKey } from '../http/sessions/routes.ts'
import { replaySchema, replayStart } from '../http/streams/replay.ts'
import {
  closeOnOpen,
  type SocketCall,
  type SocketOpener,
  type SocketRoute,
  socketRoute,
} from '../http/streams/socket-route.ts'
import { parseStreamCursor } from '../http/streams/sse.ts'
import { isCarried } from './codec.ts'
import { type FabricConnection, FabricSocket } from './connection.ts'

const query = v.looseObject({
  after: v.optional(v.string()),
  replay: v.optional(replaySchema, '0'),
})

export const fabricSocketRoutes: readonly SocketRoute[] = [
  socketRoute({
    path: '/sessions/:id/ws',
    scope: 'observe',
    summary: 'A session’s events as they happen; cancel and approve come back the other way',
    query,
    session: findKey,
    restore: async (rested, head, ports) => {
      const connection = rested as FabricConnection
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

const openConnection = async (call: SocketCall<v.InferOutput<typeof query>>): Promise<SocketOpener | Denial> => {
  const { access, ports } = call
  const key = await findKey(call)
  const closed = isDenial(key) ? null : refusePrivateAgent(ports, key.agent)
  if (closed) return closeOnOpen(closed)
  const session = isDenial(key) ? key : ((await ports.host.find(key)) ?? notFound())
  if (isDenial(session)) return closeOnOpen(session)
  const cursor = parseStreamCursor(null, call.query.after)
  if (cursor === undefined) return badRequest('The cursor is not an event id.')
  const wish = cursor ? null : await replayStart(session, call.query.replay, isCarried(session.key))
  const from = cursor ?? { seq: wish ?? 0, incarnation: session.incarnations.own }
  const since = session.canResumeFrom(from) ? from.seq : null
  const connection = { key: session.key, scopes: access.scopes, user: access.user, who: access.who, since }
  return (socket) => new FabricSocket(connection, session, socket, ports)
}
