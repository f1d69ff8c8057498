// A session over the Fabric WebSocket, from a browser or from Node. It keeps itself alive, comes back by its cursor, and
// so hands out each event once and in order, whatever happens to its connections.
import { parseEventId } from '../kernel/cursor.ts'
import { type LogPlace, placeText } from '../kernel/incarnation.ts'
import type { FabricClientMessage, FabricServerMessage } from '../surfaces/fabric/socket-wire.ts'
import type { FabricEvent } from '../surfaces/fabric/wire.ts'
import { FabricError } from './fabric-error.ts'
import type { FabricWsHandle, FabricWsOptions } from './fabric-socket-options.ts'
import { approach, refusalOf } from './socket-approach.ts'
import { BACKOFF, PING, SocketLine } from './socket-line.ts'

/** Opens at once; everything that follows comes by the callbacks. */
export const connectFabricWs = (options: FabricWsOptions): FabricWsHandle => new FabricWs(options)

class FabricWs implements FabricWsHandle {
  readonly #options: FabricWsOptions
  readonly #line: SocketLine
  /** Everything up to here was handed out; null = nothing yet. */
  #cursor: LogPlace | null
  #isLive = false
  /** Commands sent on this connection that were not answered yet. */
  #unanswered = 0

  constructor(options: FabricWsOptions) {
    this.#options = options
    const { after, replay = 0, reconnect = true, heartbeatMs = 15_000 } = options
    this.#cursor = after === undefined ? null : parseEventId(String(after))
    // A bad address throws here and now, as the platform's own constructor does.
    new URL(options.url)
    this.#line = new SocketLine({
      approach: () => approach(options, { replay, after: textOf(this.#cursor) }),
      refusal: () => refusalOf(options),
      WebSocket: options.WebSocket,
      backoff: reconnect === true ? BACKOFF : reconnect || null,
      heartbeatMs,
      ping: () => PING,
      onMessage: (data) => {
        const message = parse(data)
        if (message) this.#take(message)
        else this.#fail(new FabricError(0, 'bad_message', 'The server sent something that is not a message.'))
      },
      onLost: () => this.#lost(),
      onError: (error) => this.#fail(error),
      onEnd: (code, reason) => options.onClose?.({ code, reason }),
    })
  }

  get state(): FabricWsHandle['state'] {
    return this.#line.state
  }

  send(message: FabricClientMessage): void {
    const isCommand = message.type === 'cancel' || message.type === 'approve'
    if (this.state === 'open') {
      if (isCommand) this.#unanswered += 1
      this.#line.send(JSON.stringify(message))
    } else if (isCommand) {
      this.#fail(new FabricError(0, 'not_connected', `Not connected: the ${message.type} was not sent.`))
    }
  }

  close(): void {
    this.#line.close()
  }

  #take(message: FabricServerMessage): void {
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
    if (event.type === 'reset') this.#cursor = NOWHERE
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
    this.#line.settle()
    if (this.#isLive) return
    this.#isLive = true
    this.#options.onReplayEnd?.()
  }

  #lost(): void {
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
const NOWHERE: LogPlace = { seq: 0, incarnation: 1 }

const textOf = (place: LogPlace | null): string | null => place && placeText(place.seq, place.incarnation)

const parse = (data: unknown): FabricServerMessage | null => {
  try {
    const value: unknown = JSON.parse(String(data))
    return typeof value === 'object' && value !== null && 'type' in value ? (value as FabricServerMessage) : null
  } catch {
    return null
  }
}
