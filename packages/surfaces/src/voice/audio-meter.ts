// Measures the audio of a client against the clock: speech comes in real time, and a client that sends much more floods the provider
// at the operator's expense. A frame counts as a few milliseconds at least, so that many tiny frames are a flood, too.

/** Audio that a client may send ahead of time: a minute, as after a pause of its network. */
const AUDIO_BURST_MS = 60_000
/** Audio of a second that a client may send in a second: clocks differ, and a client catches up after a pause. */
const AUDIO_RATE = 2
/** The shortest frame, for the count above: an audio worklet hands out 5 ms, and shorter frames cost more than they bring. */
const AUDIO_FRAME_MS_MIN = 4

export class AudioMeter {
  /** Milliseconds of audio that the client may still send now. */
  #allowedMs = AUDIO_BURST_MS
  #countedAt: number

  constructor(now: number) {
    this.#countedAt = now
  }

  /** False = this is too much. */
  take(ms: number, now: number): boolean {
    const passedMs = Math.max(0, now - this.#countedAt)
    this.#countedAt = now
    this.#allowedMs = Math.min(AUDIO_BURST_MS, this.#allowedMs + passedMs * AUDIO_RATE)
    this.#allowedMs -= Math.max(ms, AUDIO_FRAME_MS_MIN)
    return this.#allowedMs >= 0
  }
}
