// Handshakes, limits and shutdown. The surfaces decide who may connect and what is sent.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { App } from '@bridle/surfaces/app'
import { badRequest, Denial, toResponse } from '@bridle/surfaces/http/denials/denial'
import { MESSAGE_BYTES_MAX } from '@bridle/surfaces/http/limits'
import {
  type SocketOpener,
  type SocketRoute,
  SUBPROTOCOLS,
  upgradeSocket,
} from '@bridle/surfaces/http/streams/socket-route'
import { WebSocket, WebSocketServer } from 'ws'
import type { Backlog } from '../backlog.ts'
import { ServerSocket } from './server-socket.ts'
import { type SocketLimits, SocketMonitor } from './socket-monitor.ts'
import { sendUpgradeRefusal, upgradeRequestOf } from './upgrade-request.ts'

/** Each socket costs about 4 KB. */
const SOCKETS_MAX = 10_000
/** Browsers send a single fragment, and each one costs memory. */
const FRAGMENTS_MAX = 64
/** Time for a client to answer a close frame. */
const CLOSE_MS = 10_000
/** Time for all clients to leave at shutdown. */
const LEAVE_MS = 1_000

export interface SocketServer {
  /** `url` is the path and query without the app's prefix. */
  upgrade(incoming: IncomingMessage, duplex: Duplex, head: Buffer, url?: string): Promise<void>
  /** Asks all clients to reconnect, and waits briefly for them to leave. */
  close(): Promise<void>
}

export const createSocketServer = (
  app: App,
  routes: readonly SocketRoute[],
  backlog: Backlog,
  options: SocketLimits & { readonly maxSockets?: number | undefined } = {},
): SocketServer => {
  const { maxSockets = SOCKETS_MAX } = options
  const monitor = new SocketMonitor(options)
  const limits = {
    noServer: true,
    WebSocket: ServerSocket,
    // `sockets` holds the clients that a surface has accepted.
    clientTracking: false,
    // Messages are small and identical for all clients: compression would cost memory per socket and save nothing.
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    maxFragments: FRAGMENTS_MAX,
    closeTimeout: CLOSE_MS,
    handleProtocols: (offered: Set<string>) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
  } as const
  const library = new WebSocketServer(limits)
  library.on('wsClientError', (error, duplex) =>
    sendUpgradeRefusal(duplex, toResponse(badRequest(`${error.message}.`))),
  )
  const sockets = new Set<ServerSocket>()
  let arriving = 0
  let closing = false

  const admit = async (incoming: IncomingMessage, url = incoming.url): Promise<SocketOpener | Response> => {
    if (sockets.size + arriving > maxSockets) return toResponse(new Denial('unavailable', 'Too many sockets are open.'))
    const request = upgradeRequestOf({ url, headers: incoming.headers, httpVersion: incoming.httpVersion })
    if (!request) return toResponse(badRequest('Bad request.'))
    return upgradeSocket(routes, request, incoming.socket.remoteAddress ?? '', app.ports)
  }

  return {
    upgrade: async (incoming, duplex, head, url) => {
      duplex.on('error', destroy)
      arriving += 1
      try {
        const admission = await admit(incoming, url)
        const answer = closing
          ? toResponse(new Denial('unavailable', 'The server is going away.', { 'retry-after': '1' }))
          : admission
        if (typeof answer !== 'function') return await sendUpgradeRefusal(duplex, answer)
        // The library handles errors from here on.
        duplex.off('error', destroy)
        library.handleUpgrade(incoming, duplex, head, (socket) =>
          socket.attach(answer, duplex, { sockets, backlog, monitor }),
        )
      } catch {
        duplex.destroy()
      } finally {
        arriving -= 1
      }
    },
    close: async () => {
      closing = true
      const left = [...sockets].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve())
            if (socket.readyState === WebSocket.OPEN) socket.close(1012, 'The server is going away: come back.')
          }),
      )
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.terminate()
      }, LEAVE_MS)
      await Promise.all(left)
      clearTimeout(timer)
      monitor.stop()
    },
  }
}

/** Shared by all connections: a closure would retain its whole scope. */
function destroy(this: Duplex): void {
  this.destroy()
}
