// The connection of a line to its provider. It is opened when it is needed, closed when nothing is said for a while, and opened anew
// after a loss: the transcript of the session is all that a new one needs.
import type { JsonObject } from '../../kernel/json.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import type { VoiceFault } from '../../kernel/ports/voice.ts'
import { IDLE_MS } from '../limits.ts'
import { lostFault } from './faults.ts'
import { RealtimeConnection } from './provider-connection.ts'
import type { RealtimeEvent } from './provider-json.ts'
import type { RealtimeProvider } from './provider-socket.ts'

export interface LineConnectionPorts {
  readonly provider: RealtimeProvider
  readonly model: string
  readonly clock: Clock
  readonly settings: JsonObject
  readonly onEvent: (event: RealtimeEvent, connection: RealtimeConnection) => void
  readonly onLost: () => void
  /** Work for which the connection stays open although nothing is said. */
  readonly isBusy: () => boolean
}

export class LineConnection {
  readonly #ports: LineConnectionPorts
  #current: RealtimeConnection | null = null
  #opening: Promise<RealtimeConnection | VoiceFault> | null = null
  #activeAt = 0
  #cancelTimer: (() => void) | null = null
  #isClosed = false

  constructor(ports: LineConnectionPorts) {
    this.#ports = ports
  }

  /** The open connection; null: there is none now. */
  get current(): RealtimeConnection | null {
    return this.#current?.isOpen ? this.#current : null
  }

  get isOpening(): boolean {
    return this.#opening !== null
  }

  /** The open connection, or a new one. */
  connect(): Promise<RealtimeConnection | VoiceFault> {
    this.touch()
    const { current } = this
    if (current) return Promise.resolve(current)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  /** Something is said. */
  touch(): void {
    this.#activeAt = this.#ports.clock.now()
  }

  close(): void {
    this.#isClosed = true
    this.#release()
  }

  async #open(): Promise<RealtimeConnection | VoiceFault> {
    const { onLost, ...ports } = this.#ports
    const opened = await RealtimeConnection.open({
      ...ports,
      onLost: (connection) => {
        if (connection !== this.#current) return
        this.#release()
        onLost()
      },
    })
    if ('code' in opened) return opened
    if (this.#isClosed) {
      opened.close()
      return { code: 'line_closed', message: 'The line is closed. Open another one.' }
    }
    // A connection that broke while it was opened has no loss that anybody would hear of.
    if (!opened.isOpen) return lostFault()
    this.#current = opened
    this.#watch(IDLE_MS)
    return opened
  }

  #watch(ms: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#ports.clock.after(ms, () => {
      const leftMs = this.#activeAt + IDLE_MS - this.#ports.clock.now()
      if (leftMs > 0 || this.#ports.isBusy()) this.#watch(leftMs > 0 ? leftMs : IDLE_MS)
      else this.#release()
    })
  }

  #release(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const connection = this.#current
    this.#current = null
    connection?.close()
  }
}
