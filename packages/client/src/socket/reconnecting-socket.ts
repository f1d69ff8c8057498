// A WebSocket that reconnects, with backoff and heartbeats. The messages are its owner's: the owner gives the `endpoint`, calls
// `markHealthy` when a connection works, and `reconnect` when it does not.
import { FabricError } from '../http/error.ts'

/** Heartbeats without a message from the server: a single one may be lost, a second means a dead connection. */
const MISSES_MAX = 2

export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}
export const DEFAULT_RECONNECT_BACKOFF: Backoff = { firstMs: 250, longestMs: 10_000 }

/** Always the same text: Cloudflare answers exactly this text for a hibernated server without waking it. */
export const PING_TEXT = '{"type":"ping"}'

export type WebSocketClass = new (url: string, protocols?: string[]) => WebSocket

export interface ReconnectingSocketOptions {
  /** The URL and the subprotocols; called for each try. */
  readonly endpoint: () => Promise<{ readonly url: string; readonly protocols?: string[] }>
  /** The reason of a refused upgrade, if a retry cannot help. */
  readonly findRefusal: () => Promise<FabricError | null>
  readonly WebSocket?: WebSocketClass | undefined
  /** Null = never reconnect. */
  readonly backoff: Backoff | null
  readonly heartbeatMs: number
  /** The text to send at a heartbeat. Empty = none; null = none, and a silent server is not given up. */
  readonly ping: () => string | null
  readonly onOpen?: () => void
  readonly onMessage: (data: unknown) => void
  /** A connection is gone. `onWait` follows if the socket reconnects, `onEnd` if not. */
  readonly onLost?: (code: number) => void
  readonly onWait?: (waitMs: number, tries: number) => void
  readonly onError: (error: FabricError) => void
  readonly onEnd: (code: number, reason: string) => void
}

/** The session is gone, or the server refuses: a reconnect cannot help. */
const FINAL_CODES = new Set([1008, 4004, 4401, 4403])
/** `WebSocket.OPEN`; the class may be anybody's. */
const OPEN = 1
const NO_WEBSOCKET = 'There is no WebSocket here. Pass one as the option WebSocket.'

export class ReconnectingSocket {
  readonly #options: ReconnectingSocketOptions
  #state: 'connecting' | 'open' | 'closed' = 'connecting'
  #socket: WebSocket | null = null
  #attachedAt = 0
  #tries = 0
  /** `#tries` before `markHealthy`: a connection that fails again soon continues the backoff from here. */
  #triesBefore = 0
  #misses = 0
  #heartbeatTimer: ReturnType<typeof setInterval> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(options: ReconnectingSocketOptions) {
    this.#options = options
    // Later, so that the constructor has returned before the first callback.
    queueMicrotask(() => this.#connect())
  }

  get state(): 'connecting' | 'open' | 'closed' {
    return this.#state
  }

  /** Sends only while open. A message may still be lost with its connection: then `onLost` follows. */
  send(message: string | Uint8Array<ArrayBuffer>): void {
    const socket = this.#socket
    // A server may have begun to close a socket whose close event is still to come; a browser reports a send then as an error.
    if (this.#state === 'open' && socket && !(socket.readyState > OPEN)) socket.send(message)
  }

  /** The connection works: the next backoff begins with the shortest wait. */
  markHealthy(): void {
    this.#triesBefore = this.#tries
    this.#tries = 0
  }

  /** Replaces this connection with a new one. Repeated faults of a server lengthen the wait. */
  reconnect(code: number, reason: string): void {
    const socket = this.#socket
    if (!socket) return
    const longestMs = this.#options.backoff?.longestMs ?? 0
    this.#tries = Date.now() - this.#attachedAt > longestMs ? 0 : Math.max(this.#tries, this.#triesBefore)
    this.#handleClose(code, reason, true)
    // A dead connection never sends its close event, so the socket was detached before.
    socket.close(code, reason)
  }

  /** Ends the wait before the next try. */
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
      // `close` may have been called in the meantime.
      if (this.#state === 'connecting') this.#attach(new Constructor(url, protocols))
    } catch (cause) {
      if (this.state === 'closed') return
      const error = cause instanceof FabricError ? cause : new FabricError(0, 'network', String(cause), { cause })
      onError(error)
      // Waiting does not bring a missing constructor.
      if (error.type !== 'unsupported' && (error.isRetryable || error.status >= 500))
        this.#scheduleReconnect(1006, error.message)
      else this.#end(1008, error.message)
    }
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    this.#attachedAt = Date.now()
    this.#misses = 0
    // Counts from here, not from the opening: a handshake without an answer is a dead connection too.
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
    // On Node 22 a failed handshake has this event alone; elsewhere the close event follows.
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

  /** A browser does not say why an upgrade was refused; `findRefusal` asks with a plain request. */
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
    // Up to half of the wait is random, so that the clients of a restarted server do not return at the same moment.
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
