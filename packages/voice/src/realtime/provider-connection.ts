import type { Clock } from '@bridle/kernel/ports/clock'
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import { PROVIDER_EVENT_CHARS_MAX } from '../spoken/limits.ts'
import { connectionFault, LOST, providerFaults } from './faults.ts'
import type { LineAudio, ProviderAccess, ProviderApi, RealtimeEvent } from './provider.ts'
import { ProviderRefusal, type ProviderSocket } from './provider-socket.ts'

/** A person hangs up after waiting longer. */
const PROVIDER_OPEN_MS = 10_000
/** Backpressure threshold: about 10 s of PCM as base64. */
export const PROVIDER_UNSENT_BYTES_MAX = 640_000
/** Polling interval for backpressure: a few audio frames. */
const UNSENT_LOOK_MS = 50

export interface ProviderConnectionOptions {
  readonly access: ProviderAccess
  readonly model: string
  readonly clock: Clock
  readonly audio: LineAudio | null
  readonly onEvent: (event: RealtimeEvent) => void
  readonly onLost: (connection: ProviderConnection) => void
}

export class ProviderConnection {
  readonly api: ProviderApi
  readonly #clock: Clock
  #socket: ProviderSocket | null = null
  #isClosed = false

  private constructor({ access, model, clock, audio }: ProviderConnectionOptions) {
    this.#clock = clock
    const send = (message: string) => this.#socket?.send(message)
    this.api = access.provider.api({ model, audio, faults: providerFaults(access, model), send })
  }

  static async open(options: ProviderConnectionOptions): Promise<ProviderConnection | VoiceFault> {
    const { access, model, clock, onEvent, onLost } = options
    const connection = new ProviderConnection(options)
    const abort = new AbortController()
    let isReady = false
    const { promise: answered, resolve: answer } = Promise.withResolvers<VoiceFault | null>()
    const cancelTimer = clock.after(PROVIDER_OPEN_MS, () => {
      abort.abort(new ProviderRefusal(null))
      answer(LOST)
    })
    const message = (text: string) => {
      if (abort.signal.aborted || connection.#isClosed || text.length > PROVIDER_EVENT_CHARS_MAX) return
      for (const event of connection.api.decode(text)) {
        if (event.type === 'ready') answer(null)
        else if (isReady && connection.isOpen) onEvent(event)
        else if (event.type === 'fault') answer(event.fault)
      }
    }
    const closed = () => {
      answer(LOST)
      const { isOpen } = connection
      connection.#socket = null
      connection.#isClosed = true
      if (isReady && isOpen) onLost(connection)
    }
    const { provider } = access
    const address = { ...provider.address(access, model), signal: abort.signal }
    const pending = access.connect(address, { message, closed })
    const fail = (fault: VoiceFault): VoiceFault => {
      connection.#isClosed = true
      pending.then((socket) => socket.close()).catch(() => {})
      return fault
    }
    try {
      const refused = answered.then((fault) => (fault ? { fault } : new Promise<never>(() => {})))
      const opened = await Promise.race([pending, refused])
      if ('fault' in opened) return fail(opened.fault)
      if (connection.#isClosed) return fail(LOST)
      connection.#socket = opened
      connection.api.greet?.()
      const fault = await answered
      if (fault || connection.#isClosed) return fail(fault ?? LOST)
      isReady = true
      connection.api.begin()
      return connection
    } catch (error) {
      return fail(connectionFault(error, providerFaults(access, model)))
    } finally {
      cancelTimer()
    }
  }

  get isOpen(): boolean {
    return this.#socket !== null
  }

  /** Sends the speaker's audio. Resolves when the provider accepts more; undefined if it does already. */
  append(audio: Uint8Array): Promise<void> | undefined {
    const socket = this.#socket
    if (!socket) return
    this.api.append(audio)
    return socket.unsent() > PROVIDER_UNSENT_BYTES_MAX ? this.#drained() : undefined
  }

  close(): void {
    const socket = this.#socket
    this.#socket = null
    this.#isClosed = true
    socket?.close()
  }

  async #drained(): Promise<void> {
    while ((this.#socket?.unsent() ?? 0) > PROVIDER_UNSENT_BYTES_MAX / 2)
      await new Promise<void>((resolve) => this.#clock.after(UNSENT_LOOK_MS, resolve))
  }
}
