// A client that sends much more than real time floods the provider at the operator's expense. Tiny frames count as a few
// milliseconds each.

/** A client may catch up on a minute, as after a network outage. */
const AUDIO_BURST_MS = 60_000
/** Clocks differ, and clients catch up after a pause. */
const AUDIO_RATE = 2
/** An audio worklet emits frames of 5 ms. Shorter ones cost more than they are worth. */
const AUDIO_FRAME_MS_MIN = 4

export class AudioMeter {
  /** Audio that the client may still send now. */
  #allowedMs = AUDIO_BURST_MS
  #countedAt: number

  constructor(now: number) {
    this.#countedAt = now
  }

  take(ms: number, now: number): boolean {
    const passedMs = Math.max(0, now - this.#countedAt)
    this.#countedAt = now
    this.#allowedMs = Math.min(AUDIO_BURST_MS, this.#allowedMs + passedMs * AUDIO_RATE)
    this.#allowedMs -= Math.max(ms, AUDIO_FRAME_MS_MIN)
    return this.#allowedMs >= 0
  }
}
