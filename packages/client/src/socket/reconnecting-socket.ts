// A WebSocket with reconnects, backoff and heartbeats. The owner interprets messages, calls `markHealthy` when a
// connection works, and `reconnect` when it does not.
import { FabricError } from '../http/error.ts'

/** A single lost heartbeat may be an accident. Two mean a dead connection. */
const MISSES_MAX = 2

export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}
export const DEFAULT_RECONNECT_BACKOFF: Backoff = { firstMs: 250, longestMs: 10_000 }

/** A constant, because Cloudflare answers exactly this text for a hibernated object without waking it. */
export const PING_TEXT = '{"type":"ping"}'

export type WebSocketClass = new (url: string, protocols?: string[]) => WebSocket

export interface ReconnectingSocketOptions {
  readonly endpoint: () => Promise<{ readonly url: string; readonly protocols?: string[] }>
  /** Why the upgrade was refused, if a retry cannot help. */
  readonly findRefusal: () => Promise<FabricError | null>
  readonly WebSocket?: WebSocketClass | undefined
  /** Null: never reconnect. */
  readonly backoff: Backoff | null
  readonly heartbeatMs: number
  /** The ping to send. Empty: none. Null: none, and tolerate silence. */
  readonly ping: () => string | null
  readonly onOpen?: () => void
  readonly onMessage: (data: unknown) => void
  /** A connection was lost. `onWait` follows before a reconnect, otherwise `onEnd`. */
  readonly onLost?: (code: number) => void
  readonly onWait?: (waitMs: number, tries: number) => void
  readonly onError: (error: FabricError) => void
  readonly onEnd: (code: number, reason: string) => void
}

/** The session was removed or the server refuses, so a reconnect cannot help. */
const FINAL_CODES = new Set([1008, 4004, 4401, 4403])
/** `WebSocket.OPEN`, which a custom class may lack. */
const OPEN = 1
const NO_WEBSOCKET = 'There is no WebSocket here. Pass one as the option WebSocket.'

export class ReconnectingSocket {
  readonly #options: ReconnectingSocketOptions
  #state: 'connecting' | 'open' | 'closed' = 'connecting'
  #socket: WebSocket | null = null
  #attachedAt = 0
  #tries = 0
  /** `#tries` before `markHealthy`, so that a connection that soon fails again continues its backoff. */
  #triesBefore = 0
  #misses = 0
  #heartbeatTimer: ReturnType<typeof setInterval> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(options: ReconnectingSocketOptions) {
    this.#options = options
    // Deferred, so that the constructor returns before the first callback.
    queueMicrotask(() => this.#connect())
  }

  get state(): 'connecting' | 'open' | 'closed' {
    return this.#state
  }

  /** Sends only while open. If the message is lost with its connection, `onLost` follows. */
  send(message: string | Uint8Array<ArrayBuffer>): void {
    const socket = this.#socket
    // Browsers log an error when sending on a closing socket.
    if (this.#state === 'open' && socket && !(socket.readyState > OPEN)) socket.send(message)
  }

  /** Resets the backoff. */
  markHealthy(): void {
    this.#triesBefore = this.#tries
    this.#tries = 0
  }

  /** Replaces the connection. Repeated server faults lengthen the backoff. */
  reconnect(code: number, reason: string): void {
    const socket = this.#socket
    if (!socket) return
    const longestMs = this.#options.backoff?.longestMs ?? 0
    this.#tries = Date.now() - this.#attachedAt > longestMs ? 0 : Math.max(this.#tries, this.#triesBefore)
    this.#handleClose(code, reason, true)
    // Detached first, because a dead connection never fires its close event.
    socket.close(code, reason)
  }

  retryNow(): void {
    if (this.#retry !== undefined) this.#connect()
  }

  close(): void {
    const socket = this.#socket
    this.#end(1000, 'Closed by the client.')
    socket?.close(1000)
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#retry)
    this.#retry = undefined
    if (this.#state === 'closed') return
    const { endpoint, onError, WebSocket: Constructor = globalThis.WebSocket } = this.#options
    try {
      if (!Constructor) throw new FabricError(0, 'unsupported', NO_WEBSOCKET)
      const { url, protocols } = await endpoint()
      // Closed in the meantime.
      if (this.#state === 'connecting') this.#attach(new Constructor(url, protocols))
    } catch (cause) {
      if (this.state === 'closed') return
      const error = cause instanceof FabricError ? cause : new FabricError(0, 'network', String(cause), { cause })
      onError(error)
      // A missing constructor is permanent.
      if (error.type !== 'unsupported' && (error.isRetryable || error.status >= 500))
        this.#scheduleReconnect(1006, error.message)
      else this.#end(1008, error.message)
    }
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    this.#attachedAt = Date.now()
    this.#misses = 0
    // Starts before the opening, because a handshake may also hang.
    this.#heartbeatTimer = setInterval(() => this.#heartbeat(), this.#options.heartbeatMs)
    let opened = false
    socket.onopen = () => {
      opened = true
      this.#misses = 0
      this.#state = 'open'
      this.#options.onOpen?.()
    }
    socket.onmessage = ({ data }) => {
      this.#misses = 0
      this.#options.onMessage(data)
    }
    // Node 22 fires only this event for a failed handshake. Elsewhere, `close` follows.
    socket.onerror = () => {
      if (!opened) this.#handleClose(1006, '', opened)
    }
    socket.onclose = ({ code, reason }) => this.#handleClose(code, reason, opened)
  }

  #heartbeat(): void {
    const ping = this.#options.ping()
    if (ping === null && this.#state === 'open') return
    this.#misses += 1
    if (this.#misses > MISSES_MAX) this.reconnect(4000, 'Nothing heard for too long.')
    else if (ping) this.send(ping)
  }

  /** Browsers do not report why an upgrade failed, so `findRefusal` asks with a plain request. */
  async #handleClose(code: number, reason: string, opened: boolean): Promise<void> {
    if (this.#state === 'closed') return
    this.#state = 'connecting'
    this.#detach(code)
    const refusal = opened ? null : await this.#options.findRefusal()
    if (this.state === 'closed') return
    if (refusal) {
      this.#options.onError(refusal)
      return this.#end(1008, refusal.message)
    }
    if (FINAL_CODES.has(code)) this.#end(code, reason)
    else this.#scheduleReconnect(code, reason)
  }

  #scheduleReconnect(code: number, reason: string): void {
    const { backoff, onWait } = this.#options
    if (this.#state === 'closed') return
    if (!backoff) return this.#end(code, reason)
    // Up to 50 % jitter, so that clients do not all reconnect at once after a restart.
    const longestMs = Math.min(backoff.longestMs, backoff.firstMs * 2 ** this.#tries)
    const waitMs = Math.round(longestMs * (0.5 + Math.random() / 2))
    this.#tries += 1
    this.#retry = setTimeout(() => this.#connect(), waitMs)
    onWait?.(waitMs, this.#tries)
  }

  #detach(code: number): void {
    clearInterval(this.#heartbeatTimer)
    const socket = this.#socket
    if (!socket) return
    this.#socket = null
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.onerror = () => {}
    this.#options.onLost?.(code)
  }

  #end(code: number, reason: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#detach(code)
    this.#options.onEnd(code, reason)
  }
}
