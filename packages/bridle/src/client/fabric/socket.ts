// A session over the Fabric WebSocket, from a browser or from Node. It keeps itself alive, comes back by its cursor, and
// so hands out each event once and in order, whatever happens to its connections.
import { type LogPlace, parseEventId, placeText } from '../../kernel/positions/log-position.ts'
import type { FabricClientMessage, FabricServerMessage } from '../../surfaces/fabric/socket-wire.ts'
import type { FabricEvent } from '../../surfaces/fabric/wire.ts'
import { approach, isFinal } from '../socket/endpoint.ts'
import { failureOf } from '../socket/failure.ts'
import { BACKOFF, PING, SocketLine } from '../socket/reconnecting-socket.ts'
import { FabricError } from './error.ts'
import type { FabricWsHandle, FabricWsOptions } from './socket-options.ts'

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
  /** Messages that wait for the first opening; null = it has been. */
  #early: FabricClientMessage[] | null = []

  constructor(options: FabricWsOptions) {
    this.#options = options
    const { after, replay = 0, reconnect = true, heartbeatMs = 15_000 } = options
    this.#cursor = after === undefined ? null : parseEventId(String(after))
    // A bad address throws here and now, as the platform's own constructor does.
    new URL(options.url)
    this.#line = new SocketLine({
      approach: () => approach(options, { replay, after: textOf(this.#cursor) }),
      refusal: () => this.#whyNot(),
      WebSocket: options.WebSocket,
      backoff: reconnect === true ? BACKOFF : reconnect || null,
      heartbeatMs,
      ping: () => PING,
      onOpen: () => this.#opened(),
      onMessage: (data) => {
        const message = parse(data)
        if (message) this.#take(message)
        else this.#fail(new FabricError(0, 'bad_message', 'The server sent something that is not a message.'))
      },
      onLost: () => this.#lost(),
      onError: (error) => this.#fail(error),
      onEnd: (code, reason) => this.#ended(code, reason),
    })
  }

  get state(): FabricWsHandle['state'] {
    return this.#line.state
  }

  send(message: FabricClientMessage): void {
    if (this.state === 'open') {
      if (isCommand(message)) this.#unanswered += 1
      this.#line.send(JSON.stringify(message))
    } else if (this.state === 'connecting' && this.#early !== null && this.#early.length < EARLY_MAX) {
      this.#early.push(message)
    } else this.#refuse(message)
  }

  /** Nothing is stale before the first opening, so what was asked until then is sent with it. */
  #opened(): void {
    const early = this.#early ?? []
    this.#early = null
    for (const message of early) this.send(message)
  }

  #ended(code: number, reason: string): void {
    const unsent = this.#early ?? []
    this.#early = null
    for (const message of unsent) this.#refuse(message)
    this.#options.onClose?.({ code, reason })
  }

  #refuse(message: FabricClientMessage): void {
    if (isCommand(message))
      this.#fail(new FabricError(0, 'not_connected', `Not connected: the ${message.type} was not sent.`))
  }

  /** Each try that fails is told; only some failures end it. */
  async #whyNot(): Promise<FabricError | null> {
    const failure = await failureOf(this.#options)
    if (isFinal(failure)) return failure
    if (this.state !== 'closed') this.#fail(failure)
    return null
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
