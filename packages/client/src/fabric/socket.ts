// The Fabric WebSocket, in browsers and Node. It reconnects from its cursor, so `onEvent` gets each event once and in order.
import { type LogPosition, parseEventId, positionText } from '@bridle/kernel/positions/log-position'
import type { FabricClientMessage, FabricEvent, FabricServerMessage } from '@bridle/wire/fabric/wire'
import { FabricError } from '../http/error.ts'
import { isPermanent, socketEndpoint } from '../socket/endpoint.ts'
import { explainFailure } from '../socket/failure.ts'
import { parseTyped } from '../socket/messages.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'
import type { FabricWsHandle, FabricWsOptions } from './socket-options.ts'

/** Queued before the first connection. More means a loop that ignores the responses. */
const EARLY_MAX = 100

/** Connects immediately. Failures are reported to the callbacks. */
export const connectFabricWs = (options: FabricWsOptions): FabricWsHandle => new FabricWs(options)

class FabricWs implements FabricWsHandle {
  readonly #options: FabricWsOptions
  readonly #socket: ReconnectingSocket
  /** Position of the last event passed to `onEvent`, or null. */
  #cursor: LogPosition | null
  #isLive = false
  /** Commands without a response on this connection. */
  #unanswered = 0
  /** Messages queued for the first connection. Null once it was open. */
  #waiting: FabricClientMessage[] | null = []

  constructor(options: FabricWsOptions) {
    this.#options = options
    const { after, replay = 0, reconnect = true, heartbeatMs = 15_000 } = options
    this.#cursor = after === undefined ? null : parseEventId(String(after))
    // Throws for an invalid URL, as the WebSocket constructor does.
    new URL(options.url)
    this.#socket = new ReconnectingSocket({
      endpoint: () => socketEndpoint(options, { replay, after: textOf(this.#cursor) }),
      findRefusal: () => this.#findRefusal(),
      WebSocket: options.WebSocket,
      backoff: reconnect === true ? DEFAULT_RECONNECT_BACKOFF : reconnect || null,
      heartbeatMs,
      ping: () => PING_TEXT,
      onOpen: () => this.#sendWaiting(),
      onMessage: (data) => {
        const message = parseTyped<FabricServerMessage>(data)
        if (message) this.#receive(message)
        else this.#fail(new FabricError(0, 'bad_message', 'The server sent something that is not a message.'))
      },
      onLost: () => this.#handleDisconnect(),
      onError: (error) => this.#fail(error),
      onEnd: (code, reason) => this.#handleEnd(code, reason),
    })
  }

  get state(): FabricWsHandle['state'] {
    return this.#socket.state
  }

  send(message: FabricClientMessage): void {
    if (this.state === 'open') {
      if (isCommand(message)) this.#unanswered += 1
      this.#socket.send(JSON.stringify(message))
    } else if (this.state === 'connecting' && this.#waiting !== null && this.#waiting.length < EARLY_MAX) {
      this.#waiting.push(message)
    } else this.#refuse(message)
  }

  /** Commands cannot be stale before the first connection, so send them now. */
  #sendWaiting(): void {
    const early = this.#waiting ?? []
    this.#waiting = null
    for (const message of early) this.send(message)
  }

  #handleEnd(code: number, reason: string): void {
    const unsent = this.#waiting ?? []
    this.#waiting = null
    for (const message of unsent) this.#refuse(message)
    this.#options.onClose?.({ code, reason })
  }

  #refuse(message: FabricClientMessage): void {
    if (isCommand(message))
      this.#fail(new FabricError(0, 'not_connected', `Not connected: the ${message.type} was not sent.`))
  }

  /** Reports every failed attempt. Only permanent failures close the socket. */
  async #findRefusal(): Promise<FabricError | null> {
    const failure = await explainFailure(this.#options)
    if (isPermanent(failure)) return failure
    if (this.state !== 'closed') this.#fail(failure)
    return null
  }

  close(): void {
    this.#socket.close()
  }

  #receive(message: FabricServerMessage): void {
    switch (message.type) {
      case 'event':
        return this.#event(message.event)
      case 'replay-end':
        return this.#replayEnd(message.cursor)
      case 'mark':
        return this.send({ type: 'seen', seq: message.seq })
      case 'ack':
        this.#unanswered = Math.max(0, this.#unanswered - 1)
        return this.#options.onAck?.(message)
      case 'error':
        this.#unanswered = Math.max(0, this.#unanswered - 1)
        return this.#fail(new FabricError(0, 'server', message.message))
    }
  }

  #event(event: FabricEvent): void {
    const position = parseEventId(event.id)
    if (event.type === 'reset') this.#cursor = LOG_START
    else if (position !== null) {
      if (this.#cursor !== null && position.seq <= this.#cursor.seq) return
      this.#cursor = position
    }
    this.#options.onEvent(event)
  }

  /** The cursor is valid even if the replay was empty. */
  #replayEnd(cursor: string | undefined): void {
    const position = cursor === undefined ? null : parseEventId(cursor)
    if (position !== null && position.seq >= (this.#cursor?.seq ?? 0)) this.#cursor = position
    this.#socket.markHealthy()
    if (this.#isLive) return
    this.#isLive = true
    this.#options.onReplayEnd?.()
  }

  #handleDisconnect(): void {
    const lost = this.#unanswered
    this.#unanswered = 0
    if (lost > 0)
      this.#fail(new FabricError(0, 'unanswered', `The connection was lost before ${lost} command(s) were answered.`))
  }

  #fail(error: FabricError): void {
    this.#options.onError?.(error)
  }
}

/** After a reset, everything is replayed from the start of the log. */
const LOG_START: LogPosition = { seq: 0, incarnation: 1 }

const textOf = (position: LogPosition | null): string | null =>
  position && positionText(position.seq, position.incarnation)

const isCommand = ({ type }: FabricClientMessage): boolean =>
  type === 'cancel' || type === 'approve' || type === 'signal'
