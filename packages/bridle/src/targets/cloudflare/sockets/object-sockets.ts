// Sockets that outlive the object's memory. The platform holds them while the object sleeps; each has a plain value
// attached, from which its near end is made again when the object wakes.
import type { Clock } from '../../../kernel/ports/store.ts'
import { MESSAGE_BYTES_MAX } from '../../../surfaces/http/limits.ts'
import type { App } from '../../../surfaces/http/router/app.ts'
import { matchPath } from '../../../surfaces/http/router/path-pattern.ts'
import type { SocketOpener, SocketReceiver, SocketRoute } from '../../../surfaces/http/streams/socket-route.ts'
import { SOCKET_RATE } from '../../limits.ts'
import { DEAD_AFTER_MS, SOCKET_SWEEP_MS } from '../limits.ts'
import { type ObjectContext, type PlatformSocket, socketPair, upgradeResponse } from '../platform.ts'
import { ObjectSocket } from './object-socket.ts'

/** The only subprotocols ever named back: a ticket is a secret. */
const PROTOCOLS = ['bridle.v1', 'harness.v1']

const OPEN = 1

/** What a socket is made from again. */
interface SocketRecord {
  readonly path: string
  readonly knowsMarks: boolean
  /** When it came, or last said something that the platform did not answer by itself. */
  readonly heardAt: number
}

interface SocketAttachment extends SocketRecord {
  readonly rested: unknown
}

interface OpenSocket extends SocketRecord {
  heardAt: number
  readonly receiver: SocketReceiver
  readonly objectSocket: ObjectSocket
  attachmentText: string
  /** What was said since then. */
  countedAt: number
  messages: number
}

export interface ObjectSocketsOptions {
  readonly clock: Clock
  readonly deadAfterMs?: number | undefined
  /** The object sends heartbeats, and calls `beat` for that. */
  readonly sendsHeartbeats?: boolean
}

export class ObjectSockets {
  readonly #ctx: ObjectContext
  readonly #rows: readonly SocketRoute[]
  readonly #clock: Clock
  readonly #deadAfterMs: number
  readonly #isBeating: boolean
  readonly #open = new Map<PlatformSocket, OpenSocket>()
  #sweepAt = 0

  constructor(
    ctx: ObjectContext,
    rows: readonly SocketRoute[],
    { clock, deadAfterMs = DEAD_AFTER_MS, sendsHeartbeats = false }: ObjectSocketsOptions,
  ) {
    this.#ctx = ctx
    this.#rows = rows
    this.#clock = clock
    this.#deadAfterMs = deadAfterMs
    this.#isBeating = sendsHeartbeats
  }

  get size(): number {
    return this.#open.size
  }

  accept(request: Request, open: SocketOpener): Response {
    const { pathname, searchParams } = new URL(request.url)
    const row = this.#rows.find(({ path }) => matchPath(path, pathname))
    const { client, server } = socketPair()
    this.#ctx.acceptWebSocket(server)
    const knowsMarks = searchParams.get('marks') === '1'
    this.#attach(server, { path: row?.path ?? '', knowsMarks, heardAt: this.#clock.now() }, open)
    return upgradeResponse(client, protocolOf(request))
  }

  /** Takes up all sockets that are open, before anything new can be said on them. */
  async restore({ ports }: App, headOf: (rested: unknown) => Promise<number>): Promise<void> {
    for (const socket of this.#ctx.getWebSockets()) {
      const attachment = socket.deserializeAttachment() as SocketAttachment | null
      const row = this.#rows.find(({ path }) => path === attachment?.path)
      if (!row || !attachment || socket.readyState !== OPEN) {
        socket.close(1012, 'The session moved: reconnect.')
        continue
      }
      const { rested, ...kept } = attachment
      try {
        this.#attach(socket, kept, await row.restore(rested, await headOf(rested), ports))
      } catch {
        socket.close(1012, 'The session moved: reconnect.')
      }
    }
  }

  /** Whether any socket's wire has heartbeats. */
  get needsHeartbeats(): boolean {
    return [...this.#open.values()].some(({ receiver }) => receiver.sendHeartbeat)
  }

  /** A heartbeat to all whose wire has one; those that were silent for too long are closed, whether or not they used to ping. */
  sendHeartbeats(silentMs: number): void {
    const now = this.#clock.now()
    for (const [socket, { receiver, objectSocket, heardAt }] of [...this.#open]) {
      if (!receiver.sendHeartbeat || !objectSocket.isOpen) continue
      const pingedAt = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0
      if (now - Math.max(pingedAt, heardAt) <= silentMs) receiver.sendHeartbeat()
      else {
        receiver.onSilence?.()
        this.#forget(socket)
      }
    }
  }

  /** Attaches what has changed; called when things have come to rest. */
  hibernate(): void {
    for (const [socket, near] of this.#open) if (near.objectSocket.isOpen) attach(socket, near)
  }

  /**
   * Lets go of those that are no longer open, and of those that used to ping and have fallen silent. No timer does this:
   * whatever stirs the object does. `speaker` is who stirs it.
   */
  closeDeadSockets(speaker?: PlatformSocket): void {
    const now = this.#clock.now()
    const spoken = speaker && this.#open.get(speaker)
    if (spoken) spoken.heardAt = now
    if (now < this.#sweepAt) return
    this.#sweepAt = now + Math.min(SOCKET_SWEEP_MS, this.#deadAfterMs)
    for (const [socket, { objectSocket, heardAt }] of [...this.#open]) {
      const pingedAt = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime()
      if (!objectSocket.isOpen || socket.readyState !== OPEN) this.#forget(socket)
      else if (pingedAt !== undefined && now - Math.max(pingedAt, heardAt) > this.#deadAfterMs)
        this.#closeWithReason(socket, 4009, 'No ping for too long: come back.')
    }
  }

  async handleMessage(socket: PlatformSocket, said: string | ArrayBuffer): Promise<void> {
    const near = this.#open.get(socket)
    if (!near) return socket.close(1012, 'The session moved: reconnect.')
    const bytes = typeof said === 'string' ? said.length : said.byteLength
    if (bytes > MESSAGE_BYTES_MAX || (typeof said === 'string' && isLonger(said, MESSAGE_BYTES_MAX)))
      return this.#closeWithReason(socket, 1009, 'The message is too large.')
    if (this.#isOverRate(near)) return this.#closeWithReason(socket, 1008, 'Too many messages.')
    // When it was last heard must outlive a sleep, where silence is counted.
    if (this.#isBeating && near.receiver.sendHeartbeat) attach(socket, near)
    await near.receiver.onMessage(typeof said === 'string' ? said : null)
  }

  /** Counted anew after each sleep: who keeps the object awake is the one to count. */
  #isOverRate(near: OpenSocket): boolean {
    const now = this.#clock.now()
    if (now - near.countedAt >= SOCKET_RATE.windowMs) Object.assign(near, { countedAt: now, messages: 0 })
    near.messages += 1
    return near.messages > SOCKET_RATE.maxMessages
  }

  handleClose(socket: PlatformSocket, code = 1000): void {
    this.#forget(socket)
    try {
      // Codes that say "there was none" may not be sent.
      socket.close(code === 1005 || code === 1006 ? 1000 : code)
    } catch {
      // The platform has answered already.
    }
  }

  #attach(socket: PlatformSocket, kept: SocketRecord, open: SocketOpener): void {
    const far = new ObjectSocket(socket, kept.knowsMarks, this.#clock, () => receiver.onSlow())
    const receiver = open(far)
    // One that was told why it may not stay has nothing to rest on.
    if (!receiver.hibernate) return
    const near: OpenSocket = { ...kept, receiver, objectSocket: far, attachmentText: '', countedAt: 0, messages: 0 }
    this.#open.set(socket, near)
    attach(socket, near)
  }

  #closeWithReason(socket: PlatformSocket, code: number, reason: string): void {
    const far = this.#open.get(socket)?.objectSocket
    this.#forget(socket)
    far?.close(code, reason)
  }

  #forget(socket: PlatformSocket): void {
    const near = this.#open.get(socket)
    near?.objectSocket.markClosed()
    near?.receiver.onClosed()
    this.#open.delete(socket)
  }
}

const attach = (socket: PlatformSocket, near: OpenSocket): void => {
  const { path, knowsMarks, heardAt, receiver } = near
  const attachment: SocketAttachment = { path, knowsMarks, heardAt, rested: receiver.hibernate?.() }
  const text = JSON.stringify(attachment)
  if (text === near.attachmentText) return
  near.attachmentText = text
  socket.serializeAttachment(attachment)
}

const isLonger = (text: string, bytesMax: number): boolean =>
  text.length * 3 > bytesMax && new TextEncoder().encode(text).byteLength > bytesMax

const protocolOf = ({ headers }: Request): Record<string, string> => {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(/, */)
  const known = PROTOCOLS.find((name) => offered.includes(name))
  return known === undefined ? {} : { 'sec-websocket-protocol': known }
}
