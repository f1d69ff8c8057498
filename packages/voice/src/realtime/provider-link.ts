// A line's link to its provider. Connects on demand, disconnects when idle, and reconnects after a loss, since a new
// connection needs only the session's transcript.
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import { ProviderConnection, type ProviderConnectionOptions } from './provider-connection.ts'

/** An open socket costs memory and keeps a Durable Object awake. */
export const IDLE_MS = 60_000

export interface ProviderLinkPorts extends Omit<ProviderConnectionOptions, 'onLost'> {
  readonly onLost: () => void
  /** True while work must keep an idle connection open. */
  readonly isBusy: () => boolean
}

export class ProviderLink {
  readonly #ports: ProviderLinkPorts
  #current: ProviderConnection | null = null
  #opening: Promise<ProviderConnection | VoiceFault> | null = null
  #activeAt = 0
  #cancelTimer: (() => void) | null = null
  #isClosed = false

  constructor(ports: ProviderLinkPorts) {
    this.#ports = ports
  }

  get current(): ProviderConnection | null {
    return this.#current?.isOpen ? this.#current : null
  }

  get isOpening(): boolean {
    return this.#opening !== null
  }

  connect(): Promise<ProviderConnection | VoiceFault> {
    this.touch()
    const { current } = this
    if (current) return Promise.resolve(current)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  touch(): void {
    this.#activeAt = this.#ports.clock.now()
  }

  close(): void {
    this.#isClosed = true
    this.#release()
  }

  async #open(): Promise<ProviderConnection | VoiceFault> {
    const { onLost, ...ports } = this.#ports
    const opened = await ProviderConnection.open({
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
