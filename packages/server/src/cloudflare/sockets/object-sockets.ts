// Each socket carries a plain attachment, from which a woken object restores its connection.
import type { Clock } from '@bridle/kernel/ports/clock'
import { MESSAGE_BYTES_MAX } from '@bridle/surfaces/http/limits'
import { matchPath } from '@bridle/surfaces/http/router/path-pattern'
import {
  type RestorableSocket,
  type SocketOpener,
  type SocketReceiver,
  SUBPROTOCOLS,
} from '@bridle/surfaces/http/streams/socket-route'
import { SOCKET_RATE } from '../../limits.ts'
import {
  autoResponse,
  type ObjectContext,
  type PlatformSocket,
  socketPair,
  upgradeResponse,
} from '../platform/platform.ts'
import { ObjectSocket } from './object-socket.ts'

/** Background tabs ping once a minute. */
const DEAD_AFTER_MS = 300_000
/** Each sweep reads every attachment. */
const SOCKET_SWEEP_MS = 30_000

const OPEN = 1

/** Everything needed to restore a connection. */
interface SocketRecord {
  readonly path: string
  readonly knowsMarks: boolean
  /** When the socket opened, or last sent a message that the platform did not answer. */
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
  countedAt: number
  messages: number
}

export interface ObjectSocketsOptions {
  readonly clock: Clock
  readonly deadAfterMs?: number | undefined
  readonly sendsHeartbeats?: boolean
}

export class ObjectSockets<P> {
  readonly #ctx: ObjectContext
  readonly #rows: readonly RestorableSocket<P>[]
  readonly #clock: Clock
  readonly #deadAfterMs: number
  readonly #isBeating: boolean
  readonly #open = new Map<PlatformSocket, OpenSocket>()
  #sweepAt = 0

  constructor(
    ctx: ObjectContext,
    rows: readonly RestorableSocket<P>[],
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

  /** Must finish before a message can arrive. */
  async restore({ ports }: { readonly ports: P }, headOf: (rested: unknown) => Promise<number>): Promise<void> {
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

  get needsHeartbeats(): boolean {
    for (const { receiver } of this.#open.values()) if (receiver.sendHeartbeat) return true
    return false
  }

  /** Also closes sockets that are silent too long. Silence before `since` does not count, because no heartbeat was sent. */
  sendHeartbeats(silentMs: number, since: number): void {
    const now = this.#clock.now()
    for (const [socket, { receiver, objectSocket, heardAt }] of [...this.#open]) {
      if (!receiver.sendHeartbeat || !objectSocket.isOpen) continue
      const pingedAt = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0
      if (now - Math.max(pingedAt, heardAt, since) <= silentMs) receiver.sendHeartbeat()
      else {
        receiver.onSilence?.()
        this.#forget(socket)
      }
    }
  }

  /** Called once no more changes are expected. */
  hibernate(): void {
    for (const [socket, near] of this.#open) if (near.objectSocket.isOpen) attach(socket, near)
  }

  /** Called on every event of the object. `speaker` is the event's socket. */
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

  async handleMessage(socket: PlatformSocket, message: string | ArrayBuffer): Promise<void> {
    const near = this.#open.get(socket)
    if (!near) return socket.close(1012, 'The session moved: reconnect.')
    const bytes = typeof message === 'string' ? message.length : message.byteLength
    if (bytes > MESSAGE_BYTES_MAX || (typeof message === 'string' && isLonger(message, MESSAGE_BYTES_MAX))) {
      near.receiver.onTooLarge?.()
      return this.#closeWithReason(socket, 1009, 'The message is too large.')
    }
    if (this.#isOverRate(near)) return this.#closeWithReason(socket, 1008, 'Too many messages.')
    // Silence continues through hibernation, so the time of the last message must survive it.
    if (this.#isBeating && near.receiver.sendHeartbeat) attach(socket, near)
    if (typeof message === 'string') await near.receiver.onMessage(message)
    else if (near.receiver.onBinary) await near.receiver.onBinary(new Uint8Array(message))
    else await near.receiver.onMessage(null)
  }

  /** Resets on hibernation: the limit targets clients that keep the object awake. */
  #isOverRate(near: OpenSocket): boolean {
    const now = this.#clock.now()
    if (now - near.countedAt >= SOCKET_RATE.windowMs) Object.assign(near, { countedAt: now, messages: 0 })
    near.messages += 1
    return near.messages > SOCKET_RATE.maxMessages
  }

  handleClose(socket: PlatformSocket, code = 1000): void {
    this.#forget(socket)
    try {
      // Codes 1005 and 1006 mean "no code" and must not be sent.
      socket.close(code === 1005 || code === 1006 ? 1000 : code)
    } catch {
      // The platform has already replied.
    }
  }

  #attach(socket: PlatformSocket, kept: SocketRecord, open: SocketOpener): void {
    const far = new ObjectSocket(socket, kept.knowsMarks, this.#clock, () => receiver.onSlow())
    const receiver = open(far)
    // A denied or immediately closed socket has no connection to restore.
    if (!receiver.hibernate || !far.isOpen) return
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
  const protocol = SUBPROTOCOLS.find((name) => offered.includes(name))
  return protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }
}

const PING = '{"type":"ping"}'
const PONG = '{"type":"pong","ts":0}'

export const answerPings = (ctx: ObjectContext): void => ctx.setWebSocketAutoResponse(autoResponse(PING, PONG))
