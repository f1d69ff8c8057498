// The client of a line. Buffers audio while its socket is disconnected.
import type { VoiceClient, VoiceFault } from '@bridle/kernel/ports/voice'

/** Buffered for a disconnected client: over two minutes of PCM, longer than answers are. */
const AWAY_AUDIO_BYTES_MAX = 8_000_000

export class LineClient implements VoiceClient {
  #current: VoiceClient | null
  readonly #onFull: () => void
  #waiting: { readonly item: string; readonly bytes: Uint8Array }[] = []
  #waitingBytes = 0
  #stopped: string[] = []
  /** The last fault while disconnected. Each is a reason to repeat the prompt. */
  #missed: { readonly fault: VoiceFault; readonly isFinal: boolean } | null = null

  constructor(client: VoiceClient, onFull: () => void) {
    this.#current = client
    this.#onFull = onFull
  }

  get current(): VoiceClient | null {
    return this.#current
  }

  leave(): void {
    this.#current = null
  }

  join(client: VoiceClient): void {
    this.#current = client
    for (const item of this.#stopped.splice(0)) client.interrupted(item)
    for (const { item, bytes } of this.#waiting.splice(0)) client.audio(item, bytes)
    this.#waitingBytes = 0
    const missed = this.#missed
    this.#missed = null
    if (missed) client.fault(missed.fault, missed.isFinal)
  }

  audio(item: string, bytes: Uint8Array): void {
    if (this.#current) return this.#current.audio(item, bytes)
    this.#waiting.push({ item, bytes })
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes > AWAY_AUDIO_BYTES_MAX) this.#onFull()
  }

  interrupted(item: string): void {
    if (this.#current) return this.#current.interrupted(item)
    this.#stopped.push(item)
    this.#waiting = []
    this.#waitingBytes = 0
  }

  speech(state: 'started' | 'stopped'): void {
    this.#current?.speech(state)
  }

  fault(fault: VoiceFault, isFinal: boolean): void {
    if (this.#current) this.#current.fault(fault, isFinal)
    else this.#missed = { fault, isFinal }
  }
}
