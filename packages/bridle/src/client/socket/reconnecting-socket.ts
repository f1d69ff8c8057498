// A WebSocket that comes back. It knows nothing of what is said: who speaks over it asks by `approach` where to connect,
// says by `settle` that a connection turned out well, and by `drop` that it did not.
import { FabricError } from '../fabric/error.ts'

export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}
export const DEFAULT_RECONNECT_BACKOFF: Backoff = { firstMs: 250, longestMs: 10_000 }

/** Always the same text: a platform that holds sockets for sleeping servers answers it by itself, and wakes nobody. */
export const PING_TEXT = '{"type":"ping"}'

export type WebSocketClass = new (url: string, protocols?: string[]) => WebSocket

export interface ReconnectingSocketOptions {
  /** Where to connect and what to offer there, asked anew for each try. */
  readonly endpoint: () => Promise<{ readonly url: string; readonly protocols?: string[] }>
  /** Why an upgrade was refused, when coming back is no use. */
  readonly findRefusal: () => Promise<FabricError | null>
  readonly WebSocket?: WebSocketClass | undefined
  /** Null = any cut is the end. */
  readonly backoff: Backoff | null
  readonly heartbeatMs: number
  /** What to say at a heartbeat. Empty = nothing; null = nothing, and silence is no sign of death either. */
  readonly ping: () => string | null
  /** A connection is open. */
  readonly onOpen?: () => void
  readonly onMessage: (data: unknown) => void
  /** A connection is gone. Whether another follows, `onWait` or `onEnd` tells. */
  readonly onLost?: (code: number) => void
  readonly onWait?: (waitMs: number, tries: number) => void
  readonly onError: (error: FabricError) => void
  readonly onEnd: (code: number, reason: string) => void
}

/** The session is gone, or the server refuses: coming back would change nothing. */
const FINAL_CODES = new Set([1008, 4004, 4401, 4403])
const NO_WEBSOCKET = 'There is no WebSocket here. Pass one as the option WebSocket.'
/** Heartbeats in which nothing was heard: the second miss is a dead line. */
const MISSES_MAX = 2

export class ReconnectingSocket {
  readonly #options: ReconnectingSocketOptions
  #state: 'connecting' | 'open' | 'closed' = 'connecting'
  #socket: WebSocket | null = null
  #attachedAt = 0
  #tries = 0
  /** What `tries` was before the connection turned out well, as it seemed. */
  #triesBefore = 0
  #misses = 0
  #heartbeatTimer: ReturnType<typeof setInterval> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(options: ReconnectingSocketOptions) {
    this.#options = options
    // Later, so that the caller has the line before the first callback.
    queueMicrotask(() => this.#connect())
  }

  get state(): 'connecting' | 'open' | 'closed' {
    return this.#state
  }

  /** Only while open; what a dying connection swallows is told by `onLost`. */
  send(text: string): void {
    if (this.#state === 'open') this.#socket?.send(text)
  }

  /** It works: the next cut is waited out from the start. */
  markHealthy(): void {
    this.#triesBefore = this.#tries
    this.#tries = 0
  }

  /** Leaves this connection for a new one. A server that is at fault again and again is asked ever less often. */
  reconnect(code: number, reason: string): void {
    const socket = this.#socket
    if (!socket) return
    const longestMs = this.#options.backoff?.longestMs ?? 0
    this.#tries = Date.now() - this.#attachedAt > longestMs ? 0 : Math.max(this.#tries, this.#triesBefore)
    this.#handleClose(code, reason, true)
    // A line that is dead both ways never tells, so nobody waits for its farewell.
    socket.close(code, reason)
  }

  /** Whatever the wait was for may be over: tries now. */
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
    const { endpoint, onError, WebSocket: Given = globalThis.WebSocket } = this.#options
    try {
      if (!Given) throw new FabricError(0, 'unsupported', NO_WEBSOCKET)
      const { url, protocols } = await endpoint()
      // It may have been closed meanwhile.
      if (this.#state === 'connecting') this.#attach(new Given(url, protocols))
    } catch (cause) {
      if (this.state === 'closed') return
      const error = cause instanceof FabricError ? cause : new FabricError(0, 'network', String(cause), { cause })
      onError(error)
      // A constructor that is missing does not come by waiting.
      if (error.type !== 'unsupported' && (error.isRetryable || error.status >= 500))
        this.#scheduleReconnect(1006, error.message)
      else this.#end(1008, error.message)
    }
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    this.#attachedAt = Date.now()
    this.#misses = 0
    // From here on, not from the opening: a handshake that nobody answers is a dead line too.
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
    // Node 22 tells of a failed handshake by this event alone; elsewhere the close follows.
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

  /** The platform does not say why an upgrade was refused; a plain request to the same address does. */
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
    // Up to half of it at random, so that a restarted server does not meet all its clients at once.
    const waitMs = Math.min(backoff.longestMs, backoff.firstMs * 2 ** this.#tries) * (0.5 + Math.random() / 2)
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
