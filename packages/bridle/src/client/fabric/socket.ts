// A session over the Fabric WebSocket, from a browser or from Node. It keeps itself alive, comes back by its cursor, and
// so hands out each event once and in order, whatever happens to its connections.
import { type LogPosition, parseEventId, positionText } from '../../kernel/positions/log-position.ts'
import type { FabricClientMessage, FabricEvent, FabricServerMessage } from '../../surfaces/fabric/wire.ts'
import { isPermanent, socketEndpoint } from '../socket/endpoint.ts'
import { explainFailure } from '../socket/failure.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'
import { FabricError } from './error.ts'
import type { FabricWsHandle, FabricWsOptions } from './socket-options.ts'

/** Opens at once; everything that follows comes by the callbacks. */
export const connectFabricWs = (options: FabricWsOptions): FabricWsHandle => new FabricWs(options)

class FabricWs implements FabricWsHandle {
  readonly #options: FabricWsOptions
  readonly #socket: ReconnectingSocket
  /** Everything up to here was handed out; null = nothing yet. */
  #cursor: LogPosition | null
  #isLive = false
  /** Commands sent on this connection that were not answered yet. */
  #unanswered = 0
  /** Messages that wait for the first opening; null = it has been. */
  #waiting: FabricClientMessage[] | null = []

  constructor(options: FabricWsOptions) {
    this.#options = options
    const { after, replay = 0, reconnect = true, heartbeatMs = 15_000 } = options
    this.#cursor = after === undefined ? null : parseEventId(String(after))
    // A bad address throws here and now, as the platform's own constructor does.
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
        const message = parse(data)
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

  /** Nothing is stale before the first opening, so what was asked until then is sent with it. */
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

  /** Each try that fails is told; only some failures end it. */
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
    const place = parseEventId(event.id)
    if (event.type === 'reset') this.#cursor = LOG_START
    else if (place !== null) {
      if (this.#cursor !== null && place.seq <= this.#cursor.seq) return
      this.#cursor = place
    }
    this.#options.onEvent(event)
  }

  /** Also without a single event it says where to come back to. */
  #replayEnd(cursor: string | undefined): void {
    const place = cursor === undefined ? null : parseEventId(cursor)
    if (place !== null && place.seq >= (this.#cursor?.seq ?? 0)) this.#cursor = place
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

/** Nothing was handed out: everything of whatever log there is follows. */
const LOG_START: LogPosition = { seq: 0, incarnation: 1 }

const textOf = (place: LogPosition | null): string | null => place && positionText(place.seq, place.incarnation)

/** Messages that wait for the first opening; whoever sends more has not looked at the answers. */
const EARLY_MAX = 100

const isCommand = ({ type }: FabricClientMessage): boolean => type === 'cancel' || type === 'approve'

const parse = (data: unknown): FabricServerMessage | null => {
  try {
    const value: unknown = JSON.parse(String(data))
    return typeof value === 'object' && value !== null && 'type' in value ? (value as FabricServerMessage) : null
  } catch {
    return null
  }
}
