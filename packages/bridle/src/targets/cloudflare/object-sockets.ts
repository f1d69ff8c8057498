// Sockets that outlive the object's memory. The platform holds them while the object sleeps; each has a plain value
// attached, from which its near end is made again when the object wakes.
import type { App } from '../../surfaces/http/app.ts'
import { match, type Opener, type Receiver, type Socket, type SocketRoute } from '../../surfaces/http/socket-route.ts'
import { type ObjectContext, type PlatformSocket, socketPair, switching } from './platform.ts'

/** As on Node; the platform itself would take more. */
const MESSAGE_BYTES_MAX = 1024 * 1024
/** The only subprotocols ever named back: a ticket is a secret. */
const PROTOCOLS = ['bridle.v1', 'harness.v1']

interface Attachment {
  readonly path: string
  readonly rested: unknown
}

interface Near {
  readonly path: string
  readonly receiver: Receiver
  attached: string
}

export class ObjectSockets {
  readonly #ctx: ObjectContext
  readonly #rows: readonly SocketRoute[]
  readonly #near = new Map<PlatformSocket, Near>()

  constructor(ctx: ObjectContext, rows: readonly SocketRoute[]) {
    this.#ctx = ctx
    this.#rows = rows
  }

  get size(): number {
    return this.#near.size
  }

  accept(request: Request, open: Opener): Response {
    const { pathname } = new URL(request.url)
    const row = this.#rows.find(({ path }) => match(path, pathname))
    const { client, server } = socketPair()
    this.#ctx.acceptWebSocket(server)
    this.#enter(server, row?.path ?? '', open)
    return switching(client, protocolOf(request))
  }

  /** Takes up all sockets that are open, before anything new can be said on them. */
  async wake({ ports }: App, headOf: (rested: unknown) => Promise<number>): Promise<void> {
    for (const socket of this.#ctx.getWebSockets()) {
      const attachment = socket.deserializeAttachment() as Attachment | null
      const row = this.#rows.find(({ path }) => path === attachment?.path)
      if (!row || !attachment) {
        socket.close(1012, 'The session moved: reconnect.')
        continue
      }
      const { rested } = attachment
      try {
        this.#enter(socket, row.path, await row.wake(rested, await headOf(rested), ports))
      } catch {
        socket.close(1012, 'The session moved: reconnect.')
      }
    }
  }

  /** Attaches what has changed; called when things have come to rest. */
  rest(): void {
    for (const [socket, near] of this.#near) attach(socket, near)
  }

  async message(socket: PlatformSocket, said: string | ArrayBuffer): Promise<void> {
    const near = this.#near.get(socket)
    if (!near) return socket.close(1012, 'The session moved: reconnect.')
    const bytes = typeof said === 'string' ? said.length : said.byteLength
    if (bytes > MESSAGE_BYTES_MAX || (typeof said === 'string' && isLonger(said, MESSAGE_BYTES_MAX)))
      return socket.close(1009, 'The message is too large.')
    await near.receiver.message(typeof said === 'string' ? said : null)
  }

  closed(socket: PlatformSocket, code = 1000): void {
    this.#near.get(socket)?.receiver.closed()
    this.#near.delete(socket)
    try {
      // Codes that say "there was none" may not be sent.
      socket.close(code === 1005 || code === 1006 ? 1000 : code)
    } catch {
      // The platform has answered already.
    }
  }

  #enter(socket: PlatformSocket, path: string, open: Opener): void {
    const receiver = open(new ObjectSocket(socket))
    // One that was told why it may not stay has nothing to rest on.
    if (!receiver.rest) return
    const near: Near = { path, receiver, attached: '' }
    this.#near.set(socket, near)
    attach(socket, near)
  }
}

const attach = (socket: PlatformSocket, near: Near): void => {
  const attachment: Attachment = { path: near.path, rested: near.receiver.rest?.() }
  const text = JSON.stringify(attachment)
  if (text === near.attached) return
  near.attached = text
  socket.serializeAttachment(attachment)
}

class ObjectSocket implements Socket {
  readonly #socket: PlatformSocket

  constructor(socket: PlatformSocket) {
    this.#socket = socket
  }

  send(messages: readonly string[]): void {
    for (const message of messages) this.#socket.send(message)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  /** The platform does not say. */
  buffered(): number {
    return 0
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }
}

const isLonger = (text: string, bytesMax: number): boolean =>
  text.length * 3 > bytesMax && new TextEncoder().encode(text).byteLength > bytesMax

const protocolOf = ({ headers }: Request): Record<string, string> => {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(/, */)
  const known = PROTOCOLS.find((name) => offered.includes(name))
  return known === undefined ? {} : { 'sec-websocket-protocol': known }
}
