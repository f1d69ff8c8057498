// WebSockets on Node: the handshake, the limits, and the moving of messages. Who may come in and what is said are the
// surfaces' business.
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import type { App } from '../surfaces/http/app.ts'
import { badRequest, failure } from '../surfaces/http/errors.ts'
import { type Opener, type Receiver, type Socket, type SocketRoute, upgrade } from '../surfaces/http/socket-route.ts'
import type { Backlog, Straggler } from './backlog.ts'
import { drained } from './drained.ts'
import { frames } from './socket-frames.ts'

export interface NodeSockets {
  /** Tells everybody to come back, and waits a moment for them to leave. */
  close(): Promise<void>
}

/** Open sockets of one server; each costs some 10 KB. */
const SOCKETS_MAX = 10_000
const MESSAGE_BYTES_MAX = 1024 * 1024
const FRAGMENTS_MAX = 64
/** Unanswered messages of one socket; beyond it we stop reading from it. */
const UNANSWERED_MAX = 32
/** Unread pongs of one socket before it is taken for a flood. */
const CONTROL_BYTES_MAX = 4_000_000
/** How long the other side may take to answer a close. */
const CLOSE_MS = 10_000
const LEAVE_MS = 1_000
/** And where memory is short: until then the bytes that it has not read are kept. */
const UNREAD_MS = 2_000
/** The only subprotocols ever named back: a ticket is a secret. */
const PROTOCOLS = ['bridle.v1', 'harness.v1']

export const attachSockets = (
  server: Server,
  app: App,
  rows: readonly SocketRoute[],
  backlog: Backlog,
  { maxSockets = SOCKETS_MAX }: { readonly maxSockets?: number | undefined } = {},
): NodeSockets => {
  const limits = {
    noServer: true,
    // Every message is small and the same for all: compression would cost each socket memory and save nothing.
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    maxFragments: FRAGMENTS_MAX,
    closeTimeout: CLOSE_MS,
    handleProtocols: (offered: Set<string>) => PROTOCOLS.find((name) => offered.has(name)) ?? false,
  } as const
  const sockets = new WebSocketServer(limits)
  sockets.on('wsClientError', (error, duplex) => refuse(duplex, badRequest(`${error.message}.`)))
  let arriving = 0
  let closing = false

  const admit = async (incoming: IncomingMessage): Promise<Opener | Response> => {
    if (sockets.clients.size + arriving > maxSockets) return failure('unavailable', 'Too many sockets are open.')
    const request = requestOf(incoming)
    return request ? upgrade(rows, request, incoming.socket.remoteAddress ?? '', app.ports) : badRequest('Bad request.')
  }

  // Without this, any offer to upgrade (a client that would also speak HTTP/2, say) would end here instead of being served.
  Object.assign(server, { shouldUpgradeCallback: isWebSocket })
  server.on('upgrade', async (incoming: IncomingMessage, duplex: Duplex, head: Buffer) => {
    duplex.on('error', destroy)
    arriving += 1
    try {
      const asked = await admit(incoming)
      const answer = closing ? failure('unavailable', 'The server is going away.', { 'retry-after': '1' }) : asked
      if (answer instanceof Response) return await refuse(duplex, answer)
      sockets.handleUpgrade(incoming, duplex, head, (ws) => connect(new NodeSocket(ws, duplex, backlog), ws, answer))
    } catch {
      duplex.destroy()
    } finally {
      arriving -= 1
    }
  })

  return {
    close: async () => {
      closing = true
      const left = [...sockets.clients].map(
        (ws) =>
          new Promise<void>((resolve) => {
            ws.once('close', () => resolve())
            if (ws.readyState === WebSocket.OPEN) ws.close(1012, 'The server is going away: come back.')
          }),
      )
      const timer = setTimeout(() => {
        for (const ws of sockets.clients) ws.terminate()
      }, LEAVE_MS)
      await Promise.all(left)
      clearTimeout(timer)
    },
  }
}

const connect = (socket: NodeSocket, ws: WebSocket, open: Opener): void => {
  let unanswered = 0
  // A broken frame closes the socket by itself, with the code that says why.
  ws.on('error', nothing)
  const receiver: Receiver = open(socket)
  socket.receiver = receiver
  ws.on('message', (data, isBinary) => {
    const answered = receiver.message(isBinary ? null : data.toString())
    if (!answered) return
    unanswered += 1
    if (unanswered >= UNANSWERED_MAX) ws.pause()
    answered.finally(() => {
      unanswered -= 1
      if (unanswered < UNANSWERED_MAX && ws.isPaused) ws.resume()
    })
  })
  const alive = () => {
    receiver.alive()
    if (ws.bufferedAmount > CONTROL_BYTES_MAX) ws.terminate()
  }
  ws.on('ping', alive)
  ws.on('pong', alive)
  ws.on('close', () => receiver.closed())
}

/** One for each client, and there may be thousands: a class, so that each costs no closures. */
class NodeSocket implements Socket, Straggler {
  receiver: Receiver | null = null
  readonly #ws: WebSocket
  readonly #duplex: Duplex
  readonly #backlog: Backlog

  constructor(ws: WebSocket, duplex: Duplex, backlog: Backlog) {
    this.#ws = ws
    this.#duplex = duplex
    this.#backlog = backlog
  }

  /** Whole frames straight to the wire: with compression off the library holds nothing back that could get between. */
  send(messages: readonly string[]): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return
    const bytes = frames(messages)
    this.#duplex.write(bytes)
    if (this.#duplex.writableLength > 0) this.#backlog.grew(this, bytes.length)
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason)
  }

  buffered(): number {
    return this.#duplex.writableLength
  }

  unsent(): number {
    return this.#ws.readyState === WebSocket.OPEN ? this.#duplex.writableLength : 0
  }

  /** One who reads slowly still gets to see why; where memory is short, one who does not read at all is not waited for. */
  cut(): void {
    this.receiver?.slow()
    setTimeout(() => this.#ws.terminate(), UNREAD_MS).unref()
  }

  drained(): Promise<void> {
    return drained(this.#duplex)
  }
}

/** Shared by all sockets: a closure would keep alive what its neighbours hold. */
function destroy(this: Duplex): void {
  this.destroy()
}
const nothing = () => {}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/** The request as the surfaces know it; null when its URL makes no sense. */
const requestOf = ({ url, headers }: IncomingMessage): Request | null => {
  const { host = 'localhost' } = headers
  const whole = `http://${host}${url}`
  // A host with a slash or an @ in it would move the path or the name.
  if (!/^[\w.:[\]-]+$/.test(host) || !url?.startsWith('/') || !URL.canParse(whole)) return null
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Request(whole, { headers: pairs })
}

/** The answer of the same shape as over HTTP, and the end of the connection. */
const refuse = async (duplex: Duplex, response: Response): Promise<void> => {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set('content-length', String(body.byteLength))
  headers.set('connection', 'close')
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  const { status } = response
  duplex.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`), body]))
  duplex.once('finish', () => duplex.destroy())
}
