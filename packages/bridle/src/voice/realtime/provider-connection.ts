// A connection to a realtime provider: opened, set up, and closed once. It keeps the conversation that the provider has.
import type { JsonObject } from '../../kernel/json.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import type { VoiceFault } from '../../kernel/ports/voice.ts'
import { encodeBase64 } from '../../kernel/text/base64.ts'
import { PROVIDER_OPEN_MS, PROVIDER_UNSENT_BYTES_MAX, UNSENT_LOOK_MS } from '../limits.ts'
import { connectionFault, eventFault, lostFault } from './faults.ts'
import { ProviderConversation } from './openai/conversation.ts'
import { objectOf, parseRealtimeEvent, type RealtimeEvent, textOf } from './provider-json.ts'
import { ProviderRefusal, type ProviderSocket, type RealtimeProvider, realtimeAddress } from './provider-socket.ts'

export interface RealtimeConnectionOptions {
  readonly provider: RealtimeProvider
  readonly model: string
  readonly clock: Clock
  /** The first `session.update`. */
  readonly settings: JsonObject
  /** An event of the provider. */
  readonly onEvent: (event: RealtimeEvent, connection: RealtimeConnection) => void
  /** The provider has closed the connection, or lost it. */
  readonly onLost: (connection: RealtimeConnection) => void
}

/** Events that may come too late: the provider then answers with an error that nobody needs to hear of. */
const LATE_TYPES: ReadonlySet<unknown> = new Set([
  'response.cancel',
  'conversation.item.truncate',
  'conversation.item.delete',
])
const LATE = 'late_'

export class RealtimeConnection {
  readonly conversation = new ProviderConversation()
  readonly #clock: Clock
  #socket: ProviderSocket | null
  #count = 0
  /** The settings of the last request, as text. */
  #settings = ''

  private constructor(socket: ProviderSocket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
  }

  static async open(options: RealtimeConnectionOptions): Promise<RealtimeConnection | VoiceFault> {
    const { provider, model, clock, settings, onEvent, onLost } = options
    const abort = new AbortController()
    let connection: RealtimeConnection | null = null
    let answer: (fault: VoiceFault | null) => void = () => {}
    const created = new Promise<VoiceFault | null>((resolve) => {
      answer = resolve
    })
    const cancelTimer = clock.after(PROVIDER_OPEN_MS, () => {
      abort.abort(new ProviderRefusal(null))
      answer(lostFault())
    })
    const message = (text: string) => {
      const event = withoutKey(parseRealtimeEvent(text), text, provider.key)
      if (!event || abort.signal.aborted) return
      if (event.type === 'session.created') answer(null)
      else if (event.type === 'error') {
        const error = objectOf(event.error)
        if (textOf(error.event_id).startsWith(LATE)) return
        answer(eventFault(error, model))
        if (connection?.isOpen) onEvent(event, connection)
      } else if (connection?.isOpen) onEvent(event, connection)
    }
    const closed = () => {
      answer(lostFault())
      if (!connection?.isOpen) return
      connection.#socket = null
      onLost(connection)
    }
    const address = realtimeAddress(provider, model, abort.signal)
    const pending = provider.connect(address, { message, closed })
    try {
      const socket = await Promise.race([pending, created.then((fault) => fault && Promise.reject(fault))])
      const fault = await created
      if (fault !== null || socket === null) return closeLate(pending, fault ?? lostFault())
      connection = new RealtimeConnection(socket, clock)
      connection.send({ type: 'session.update', session: settings })
      return connection
    } catch (error) {
      return closeLate(pending, isFault(error) ? error : connectionFault(error, model))
    } finally {
      cancelTimer()
    }
  }

  get isOpen(): boolean {
    return this.#socket !== null
  }

  /** Returns the id of the event, with which the provider reports an error of it. */
  send(event: JsonObject): string {
    this.#count += 1
    const id = `${LATE_TYPES.has(event.type) ? LATE : 'event_'}${this.#count}`
    this.#socket?.send(JSON.stringify({ ...event, event_id: id }))
    return id
  }

  /** Audio of the speaker. Resolves when the provider takes more; undefined: it does. */
  append(audio: Uint8Array): Promise<void> | undefined {
    const socket = this.#socket
    if (!socket) return
    // Base64 needs no escapes, and most messages of a line are these.
    socket.send(`{"type":"input_audio_buffer.append","audio":"${encodeBase64(audio)}"}`)
    return socket.unsent() > PROVIDER_UNSENT_BYTES_MAX ? this.#drained() : undefined
  }

  /** Sends the settings of a request where they differ from those of the one before. */
  configure(settings: JsonObject): void {
    const text = JSON.stringify(settings)
    if (text === this.#settings) return
    this.#settings = text
    this.send({ type: 'session.update', session: settings })
  }

  close(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close()
  }

  async #drained(): Promise<void> {
    while ((this.#socket?.unsent() ?? 0) > PROVIDER_UNSENT_BYTES_MAX / 2)
      await new Promise<void>((resolve) => this.#clock.after(UNSENT_LOOK_MS, resolve))
  }
}

const isFault = (error: unknown): error is VoiceFault =>
  typeof error === 'object' && error !== null && !(error instanceof Error) && 'code' in error

const closeLate = (pending: Promise<ProviderSocket>, fault: VoiceFault): VoiceFault => {
  pending.then((socket) => socket.close()).catch(() => {})
  return fault
}

/** Providers repeat a key, or a part of it, in their errors. Nothing else of theirs is searched: most of it is audio. */
const withoutKey = (event: RealtimeEvent | null, text: string, key: string): RealtimeEvent | null =>
  event && ERROR_TYPES.has(event.type) && key !== '' && text.includes(key)
    ? parseRealtimeEvent(text.replaceAll(key, '…'))
    : event

const ERROR_TYPES: ReadonlySet<string> = new Set(['error', 'response.done'])
