import * as v from 'valibot'
import { viewerOf } from '../http/access/users.ts'
import { Denial, notFound } from '../http/denials/denial.ts'
import { get, type Route } from '../http/router/route.ts'
import { type RestorableSocket, type SocketRoute, socketRoute } from '../http/streams/socket-route.ts'
import { streamTimings } from '../http/streams/sse.ts'
import { changesStreamAnswer } from './answers.ts'
import { type ChangesConnection, ChangesSocket, type ChangesSocketPorts } from './changes-socket.ts'
import { changesStream } from './changes-stream.ts'

const SOCKET_PATH = '/changes/ws'
const SUMMARY = 'Changes of the sessions and approvals of the tenant, as they happen'

const noFeed = () => new Denial('unavailable', 'This process has no stream of changes.')

export const changesRoutes: readonly Route[] = [
  get('/changes', {
    scope: 'observe',
    summary: SUMMARY,
    concerns: 'directory',
    answers: { 200: changesStreamAnswer },
    handle: async ({ access, ports }) => {
      if (!ports.changes) return noFeed()
      const { tenant } = access
      const viewer = await viewerOf(access)
      return changesStream({ tenant, viewer }, ports.changes, streamTimings(ports))
    },
  }),
]

export const restoreChangesSocket: RestorableSocket<ChangesSocketPorts> = {
  path: SOCKET_PATH,
  restore: async (hibernated, _head, ports) => (socket) =>
    new ChangesSocket(hibernated as ChangesConnection, socket, ports, 'awake'),
}

export const changesSocketRoutes: readonly SocketRoute[] = [
  socketRoute({
    path: SOCKET_PATH,
    scope: 'observe',
    summary: SUMMARY,
    query: v.looseObject({ marks: v.optional(v.string()) }),
    session: null,
    restore: async (hibernated, head, { clock, changes }) => {
      if (!changes) throw new Error('This process has no stream of changes.')
      return restoreChangesSocket.restore(hibernated, head, { clock, changes })
    },
    accept: async ({ access, ports: { clock, changes } }) => {
      // A ticket for one session must not open routes about others.
      if (access.sessionId !== null) return notFound()
      if (!changes) return noFeed()
      const connection = { tenant: access.tenant, viewer: await viewerOf(access) }
      return (socket) => new ChangesSocket(connection, socket, { clock, changes })
    },
  }),
]
