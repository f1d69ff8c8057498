// WebSockets on Node: the handshake, the limits, and the moving of messages. Who may come in and what is said are the
// surfaces' business.
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { IncomingRequest } from '../../../surfaces/http/access/authenticate.ts'
import { MESSAGE_BYTES_MAX } from '../../../surfaces/http/limits.ts'
import type { App } from '../../../surfaces/http/router/app.ts'
import { badRequest, Denial, toResponse } from '../../../surfaces/http/router/denial.ts'
import {
  type Socket,
  type SocketOpener,
  type SocketReceiver,
  type SocketRoute,
  upgradeSocket,
} from '../../../surfaces/http/streams/socket-route.ts'
import type { Backlog, SlowReader } from '../backlog.ts'
import { waitForDrain } from '../drain.ts'
import { encodeTextFrames } from './frames.ts'
import { type MonitoredSocket, SocketActivity, type SocketLimits, SocketMonitor } from './socket-monitor.ts'

export interface SocketServer {
  /** Tells everybody to come back, and waits a moment for them to leave. */
  close(): Promise<void>
}

/** Open sockets of one server; each costs some 4 KB. */
const SOCKETS_MAX = 10_000
const FRAGMENTS_MAX = 64
/** Unanswered messages of one socket; beyond it we stop reading from it. */
const UNANSWERED_MAX = 32
/** A long message counts as several: 32 of the longest would take as much memory as thousands of sockets. */
const CHARS_PER_UNANSWERED = 256 * 1024
/** Unread pongs of one socket before it is taken for a flood. */
const CONTROL_BYTES_MAX = 4_000_000
/** How long the other side may take to answer a close. */
const CLOSE_MS = 10_000
const LEAVE_MS = 1_000
/** And where memory is short: until then the bytes that it has not read are kept. */
const UNREAD_MS = 2_000
/** The only subprotocols ever named back: a ticket is a secret. */
const PROTOCOLS = ['bridle.v1', 'harness.v1']

export const attachSocketServer = (
  server: Server,
  app: App,
  rows: readonly SocketRoute[],
  backlog: Backlog,
  options: SocketLimits & { readonly maxSockets?: number | undefined } = {},
): SocketServer => {
  const { maxSockets = SOCKETS_MAX } = options
  const watch = new SocketMonitor(options)
  const limits = {
    noServer: true,
    WebSocket: ServerSocket,
    // Ours holds those whom a surface has let in.
    clientTracking: false,
    // Every message is small and the same for all: compression would cost each socket memory and save nothing.
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    maxFragments: FRAGMENTS_MAX,
    closeTimeout: CLOSE_MS,
    handleProtocols: (offered: Set<string>) => PROTOCOLS.find((name) => offered.has(name)) ?? false,
  } as const
  const library = new WebSocketServer(limits)
  library.on('wsClientError', (error, duplex) =>
    sendUpgradeRefusal(duplex, toResponse(badRequest(`${error.message}.`))),
  )
  const lines = new Set<ServerSocket>()
  let arriving = 0
  let closing = false

  const admit = async (incoming: IncomingMessage): Promise<SocketOpener | Response> => {
    if (lines.size + arriving > maxSockets) return toResponse(new Denial('unavailable', 'Too many sockets are open.'))
    const asked = upgradeRequestOf(incoming)
    if (!asked) return toResponse(badRequest('Bad request.'))
    return upgradeSocket(rows, asked, incoming.socket.remoteAddress ?? '', app.ports)
  }

  server.on('upgrade', async (incoming: IncomingMessage, duplex: Duplex, head: Buffer) => {
    duplex.on('error', destroy)
    arriving += 1
    try {
      const asked = await admit(incoming)
      const answer = closing
        ? toResponse(new Denial('unavailable', 'The server is going away.', { 'retry-after': '1' }))
        : asked
      if (typeof answer !== 'function') return await sendUpgradeRefusal(duplex, answer)
      // The library listens itself from here on.
      duplex.off('error', destroy)
      library.handleUpgrade(incoming, duplex, head, (line) =>
        line.attach(answer, duplex, { sockets: lines, backlog, monitor: watch }),
      )
    } catch {
      duplex.destroy()
    } finally {
      arriving -= 1
    }
  })

  return {
    close: async () => {
      closing = true
      const left = [...lines].map(
        (line) =>
          new Promise<void>((resolve) => {
            line.once('close', () => resolve())
            if (line.readyState === WebSocket.OPEN) line.close(1012, 'The server is going away: come back.')
          }),
      )
      const timer = setTimeout(() => {
        for (const line of lines) line.terminate()
      }, LEAVE_MS)
      await Promise.all(left)
      clearTimeout(timer)
      watch.stop()
    },
  }
}

/**
 * One connection as the library has it, and whom it is for. There are thousands, mostly idle: what listens to them is
 * shared, and finds its way by `this`.
 */
class ServerSocket extends WebSocket implements MonitoredSocket {
  readonly activity = new SocketActivity()
  #receiver: SocketReceiver | null = null
  #context: SocketServerContext | null = null
  #duplex: Duplex | null = null
  #unanswered = 0

  attach(open: SocketOpener, duplex: Duplex, house: SocketServerContext): void {
    this.#context = house
    this.#duplex = duplex
    house.sockets.add(this)
    house.monitor.add(this)
    socketOfConnection.set(duplex, this)
    // A broken frame closes the socket by itself, with the code that says why.
    this.on('error', nothing)
    this.on('close', onClose)
    this.#receiver = open(new NodeSocket(this, duplex, house.backlog))
    this.on('message', onMessage)
    this.on('ping', onControl)
    this.on('pong', onPong)
    // Behind the library's own, which has looked at it by then.
    duplex.on('data', onData)
  }

  handleMessage(text: string | null): void {
    this.#context?.monitor.messageFinished(this)
    this.activity.unansweredPings = 0
    if (this.readyState !== WebSocket.OPEN || this.#context?.monitor.countMessage(this) === false) return
    const answered = this.#receiver?.onMessage(text)
    if (!answered) return
    const weight = 1 + Math.floor((text?.length ?? 0) / CHARS_PER_UNANSWERED)
    this.#unanswered += weight
    if (this.#unanswered >= UNANSWERED_MAX) this.pause()
    answered.finally(() => {
      this.#unanswered -= weight
      if (this.#unanswered < UNANSWERED_MAX && this.isPaused) this.resume()
    })
  }

  /** A pong that answers our own ping shows that somebody is there, and not that anything is said. */
  handlePong(data: Buffer): void {
    this.activity.unansweredPings = 0
    if (!data.equals(PING)) this.handleControlFrame()
  }

  handleControlFrame(): void {
    if (this.#context?.monitor.countMessage(this) === false) return
    this.#receiver?.onAlive()
    if (this.bufferedAmount > CONTROL_BYTES_MAX) this.terminate()
  }

  closeAsSlow(): void {
    this.#receiver?.onSlow()
  }

  handleBytes(): void {
    this.#context?.monitor.countBytes(this)
  }

  unfinishedBytes(): number {
    // The library tells of whole messages only; what it has of the next one are fields of its own.
    const { _receiver: state } = this as unknown as { readonly _receiver: ReceiverState | null }
    if (!state) return 0
    const bytes = state._bufferedBytes + state._messageLength
    return state._fragmented === 0 ? bytes : Math.max(1, bytes)
  }

  sendPing(): boolean {
    if (this.readyState !== WebSocket.OPEN || this.#duplex?.writableLength !== 0) return false
    this.ping(PING)
    return true
  }

  /** The library closes a socket for a broken frame with a code alone. */
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? CLOSE_REASONS[code ?? 0])
  }

  closeWithReason(code: number, reason: string): void {
    this.close(code, reason)
    this.pause()
    setTimeout(() => this.terminate(), UNREAD_MS).unref()
  }

  handleClose(): void {
    this.#context?.sockets.delete(this)
    this.#context?.monitor.remove(this)
    this.#receiver?.onClosed()
  }
}

/** What all sockets of a server share. */
interface SocketServerContext {
  readonly sockets: Set<ServerSocket>
  readonly backlog: Backlog
  readonly monitor: SocketMonitor
}

interface ReceiverState {
  readonly _bufferedBytes: number
  /** Of the fragments that are here. */
  readonly _messageLength: number
  /** What the message is that has begun in fragments; 0 = none has. */
  readonly _fragmented: number
}

/** By close code; Cloudflare says the same. */
const CLOSE_REASONS: { readonly [code: number]: string } = {
  1007: 'The text is not UTF-8.',
  1009: 'The message is too large.',
}

/** Tells a pong of ours from one that a client sends by itself. */
const PING = Buffer.from('bridle')
const socketOfConnection = new WeakMap<Duplex, ServerSocket>()

/** One for each client, and there may be thousands: a class, so that each costs no closures. */
class NodeSocket implements Socket, SlowReader {
  readonly #socket: ServerSocket
  readonly #duplex: Duplex
  readonly #backlog: Backlog

  constructor(line: ServerSocket, duplex: Duplex, backlog: Backlog) {
    this.#socket = line
    this.#duplex = duplex
    this.#backlog = backlog
  }

  /** Whole frames straight to the wire: with compression off the library holds nothing back that could get between. */
  send(messages: readonly string[]): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    const bytes = encodeTextFrames(messages)
    this.#duplex.write(bytes)
    if (this.#duplex.writableLength > 0) this.#backlog.addUnsent(this, bytes.length)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  buffered(): number {
    return this.#duplex.writableLength
  }

  unsentBytes(): number {
    return this.#socket.readyState === WebSocket.OPEN ? this.#duplex.writableLength : 0
  }

  /** One who reads slowly still gets to see why; where memory is short, one who does not read at all is not waited for. */
  disconnect(): void {
    this.#socket.closeAsSlow()
    setTimeout(() => this.#socket.terminate(), UNREAD_MS).unref()
  }

  drained(): Promise<void> {
    return waitForDrain(this.#duplex)
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  ;(this as ServerSocket).handleMessage(isBinary ? null : data.toString())
}
function onPong(this: WebSocket, data: Buffer): void {
  ;(this as ServerSocket).handlePong(data)
}
function onData(this: Duplex): void {
  socketOfConnection.get(this)?.handleBytes()
}
function onControl(this: WebSocket): void {
  ;(this as ServerSocket).handleControlFrame()
}
function onClose(this: WebSocket): void {
  ;(this as ServerSocket).handleClose()
}

/** Shared by all sockets: a closure would keep alive what its neighbours hold. */
function destroy(this: Duplex): void {
  this.destroy()
}
const nothing = () => {}

/** The request as the door knows it; null when its URL makes no sense. */
const upgradeRequestOf = ({ url, headers }: IncomingMessage): IncomingRequest | null => {
  const { host = 'localhost' } = headers
  const whole = `http://${host}${url}`
  // A host with a slash or an @ in it would move the path or the name.
  if (!/^[\w.:[\]-]+$/.test(host) || !url?.startsWith('/') || !URL.canParse(whole)) return null
  return {
    url: whole,
    headers: { get: (name) => textOf(headers[name.toLowerCase()]) },
    toRequest: () =>
      new Request(whole, {
        headers: Object.entries(headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      }),
  }
}

const textOf = (value: string | string[] | undefined): string | null => (value === undefined ? null : String(value))

/** The answer of the same shape as over HTTP, and the end of the connection. */
const sendUpgradeRefusal = async (duplex: Duplex, response: Response): Promise<void> => {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set('content-length', String(body.byteLength))
  headers.set('connection', 'close')
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  const { status } = response
  duplex.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`), body]))
  duplex.once('finish', () => duplex.destroy())
}
