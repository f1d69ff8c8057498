// A session over the Fabric WebSocket, from a browser or from Node. It keeps itself alive, comes back by its cursor, and
// so hands out each event once and in order, whatever happens to its connections.
import type { FabricClientMessage, FabricServerMessage } from '../surfaces/fabric/socket-wire.ts'
import type { FabricEvent } from '../surfaces/fabric/wire.ts'
import { FabricError } from './fabric-error.ts'
import type { FabricWsHandle, FabricWsOptions } from './fabric-socket-options.ts'
import { approach, refusalOf } from './socket-approach.ts'

/** Opens at once; everything that follows comes by the callbacks. */
export const connectFabricWs = (options: FabricWsOptions): FabricWsHandle => new FabricWs(options)

/** The session is gone, or the server refuses: coming back would change nothing. */
const FINAL_CODES = new Set([1008, 4004, 4401, 4403])
const BACKOFF = { firstMs: 250, longestMs: 10_000 }

class FabricWs implements FabricWsHandle {
  readonly #options: FabricWsOptions
  readonly #heartbeatMs: number
  #state: FabricWsHandle['state'] = 'connecting'
  #socket: WebSocket | null = null
  /** Everything up to here was handed out; null = nothing yet. */
  #cursor: number | null
  #isLive = false
  /** Commands sent on this connection that were not answered yet. */
  #unanswered = 0
  #tries = 0
  #ping: ReturnType<typeof setInterval> | undefined
  #death: ReturnType<typeof setTimeout> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(options: FabricWsOptions) {
    this.#options = options
    this.#heartbeatMs = options.heartbeatMs ?? 15_000
    this.#cursor = options.after === undefined ? null : seqOf(String(options.after))
    // A bad address throws here and now, as the platform's own constructor does.
    new URL(options.url)
    // Later, so that the caller has the handle before the first callback.
    queueMicrotask(() => this.#connect())
  }

  get state(): FabricWsHandle['state'] {
    return this.#state
  }

  send(message: FabricClientMessage): void {
    const isCommand = message.type === 'cancel' || message.type === 'approve'
    if (this.#state === 'open') {
      if (isCommand) this.#unanswered += 1
      this.#socket?.send(JSON.stringify(message))
    } else if (isCommand) {
      this.#fail(new FabricError(0, 'not_connected', `Not connected: the ${message.type} was not sent.`))
    }
  }

  close(): void {
    this.#socket?.close(1000)
    this.#end(1000, 'Closed by the client.')
  }

  async #connect(): Promise<void> {
    if (this.#state === 'closed') return
    const { replay = 0, WebSocket: Given = globalThis.WebSocket } = this.#options
    try {
      const { url, protocols } = await approach(this.#options, { replay, after: this.#cursor })
      // It may have been closed meanwhile.
      if (this.#state === 'connecting') this.#attach(new Given(url, protocols))
    } catch (cause) {
      const error = cause instanceof FabricError ? cause : new FabricError(0, 'network', String(cause), { cause })
      this.#fail(error)
      if (error.isPassing || error.status >= 500) this.#again(1006, error.message)
      else this.#end(1008, error.message)
    }
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    let opened = false
    socket.onopen = () => {
      opened = true
      this.#state = 'open'
      this.#ping = setInterval(() => this.send({ type: 'ping', ts: Date.now() }), this.#heartbeatMs)
      this.#heard()
    }
    socket.onmessage = ({ data }) => {
      this.#heard()
      const message = parse(data)
      if (message) this.#take(message)
      else this.#fail(new FabricError(0, 'bad_message', 'The server sent something that is not a message.'))
    }
    socket.onerror = () => {}
    socket.onclose = ({ code, reason }) => this.#lost(code, reason, opened)
  }

  #take(message: FabricServerMessage): void {
    switch (message.type) {
      case 'event':
        return this.#event(message.event)
      case 'replay-end':
        return this.#replayEnd(message.cursor)
      case 'ack':
        this.#unanswered = Math.max(0, this.#unanswered - 1)
        return this.#options.onAck?.(message)
      case 'error':
        this.#unanswered = Math.max(0, this.#unanswered - 1)
        return this.#fail(new FabricError(0, 'server', message.message))
    }
  }

  #event(event: FabricEvent): void {
    const seq = seqOf(event.id)
    if (event.type === 'reset') this.#cursor = 0
    else if (seq !== null) {
      if (this.#cursor !== null && seq <= this.#cursor) return
      this.#cursor = seq
    }
    this.#options.onEvent(event)
  }

  /** Also without a single event it says where to come back to. */
  #replayEnd(cursor: string | undefined): void {
    const seq = cursor === undefined ? null : seqOf(cursor)
    if (seq !== null) this.#cursor = Math.max(seq, this.#cursor ?? 0)
    this.#tries = 0
    if (this.#isLive) return
    this.#isLive = true
    this.#options.onReplayEnd?.()
  }

  /** The platform does not say why an upgrade was refused; a plain request to the same address does. */
  async #lost(code: number, reason: string, opened: boolean): Promise<void> {
    this.#detach()
    if (this.#state === 'closed') return
    this.#state = 'connecting'
    const refusal = opened ? null : await refusalOf(this.#options)
    if (refusal) {
      this.#fail(refusal)
      return this.#end(1008, refusal.message)
    }
    if (FINAL_CODES.has(code)) this.#end(code, reason)
    else this.#again(code, reason)
  }

  #again(code: number, reason: string): void {
    const { reconnect = true } = this.#options
    if (!reconnect || this.#state === 'closed') return this.#end(code, reason)
    const { firstMs, longestMs } = reconnect === true ? BACKOFF : reconnect
    const waitMs = Math.min(longestMs, firstMs * 2 ** this.#tries)
    this.#tries += 1
    // Up to half of it at random, so that a restarted server does not meet all its clients at once.
    this.#retry = setTimeout(() => this.#connect(), waitMs * (0.5 + Math.random() / 2))
  }

  /** The server speaks at every heartbeat. A line that is dead both ways never tells, so it is left without a farewell. */
  #heard(): void {
    clearTimeout(this.#death)
    this.#death = setTimeout(() => {
      const socket = this.#socket
      this.#lost(1006, 'Nothing heard for too long.', true)
      socket?.close()
    }, 3 * this.#heartbeatMs)
  }

  #detach(): void {
    clearInterval(this.#ping)
    clearTimeout(this.#death)
    const socket = this.#socket
    this.#socket = null
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null
      socket.onerror = () => {}
    }
    const lost = this.#unanswered
    this.#unanswered = 0
    if (lost > 0)
      this.#fail(new FabricError(0, 'unanswered', `The connection was lost before ${lost} command(s) were answered.`))
  }

  #end(code: number, reason: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    clearTimeout(this.#retry)
    this.#detach()
    this.#options.onClose?.({ code, reason })
  }

  #fail(error: FabricError): void {
    this.#options.onError?.(error)
  }
}

const seqOf = (id: string): number | null => {
  const digits = /^(?:ev-)?(\d{1,15})$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

const parse = (data: unknown): FabricServerMessage | null => {
  try {
    const value: unknown = JSON.parse(String(data))
    return typeof value === 'object' && value !== null && 'type' in value ? (value as FabricServerMessage) : null
  } catch {
    return null
  }
}
