// The client of a line. Its socket may break and come back: meanwhile audio waits for it.
import type { VoiceClient, VoiceFault } from '@bridle/kernel/ports/voice'

/** Audio that waits for a client that is away: more than two minutes of PCM, longer than answers are. */
const AWAY_AUDIO_BYTES_MAX = 8_000_000

export class LineClient implements VoiceClient {
  #current: VoiceClient | null
  readonly #onFull: () => void
  #waiting: { readonly item: string; readonly bytes: Uint8Array }[] = []
  #waitingBytes = 0
  /** Items that were interrupted while nobody was there. */
  #stopped: string[] = []
  /** The last fault that nobody was there to hear of: each is a reason to say something again. */
  #missed: { readonly fault: VoiceFault; readonly isFinal: boolean } | null = null

  /** `onFull`: so much audio waits for the client that no more can. */
  constructor(client: VoiceClient, onFull: () => void) {
    this.#current = client
    this.#onFull = onFull
  }

  /** Null: the client is away. */
  get current(): VoiceClient | null {
    return this.#current
  }

  leave(): void {
    this.#current = null
  }

  /** The client is back, and gets everything that waited for it. */
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
