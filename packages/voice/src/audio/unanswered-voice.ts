// The voice in an open microphone of which nobody has made a turn yet. A connection that breaks now takes words with it.
import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import { decodeG711 } from './g711.ts'
import { VOICE_LEVEL_MIN } from './limits.ts'
import { levelOf } from './samples.ts'

/** Quiet after which a voice that became no turn was none: three times the pause that ends a turn, for a provider that is slow to say so. */
const UNANSWERED_MS_MAX = 2_100
/** Bytes from one sample to the next where a level is only estimated: 1,500 samples a second, more than a voice has periods. */
const LEVEL_STRIDE_BYTES = 32

export class UnansweredVoice {
  readonly #format: AudioFormat
  #isHeard = false
  #quietMs = 0

  constructor(format: AudioFormat) {
    this.#format = format
  }

  get isHeard(): boolean {
    return this.#isHeard
  }

  get quietMs(): number {
    return this.#quietMs
  }

  hear(audio: Uint8Array): void {
    if (levelIn(audio, this.#format) >= VOICE_LEVEL_MIN) {
      this.#isHeard = true
      this.#quietMs = 0
      return
    }
    this.#quietMs += audio.length / AUDIO_BYTES_PER_MS[this.#format]
    if (this.#quietMs > UNANSWERED_MS_MAX) this.#isHeard = false
  }

  /** The provider has the turn, or the voice is lost. */
  reset(): void {
    this.#isHeard = false
  }
}

/** Every frame of a line passes here: some samples of it say enough. */
const levelIn = (audio: Uint8Array, format: AudioFormat): number => {
  if (format !== 'pcm16') return levelOf(decodeG711(format, audio))
  let sum = 0
  let count = 0
  for (let at = 0; at + 1 < audio.length; at += LEVEL_STRIDE_BYTES) {
    const sample = (((audio[at + 1] as number) << 24) >> 16) | (audio[at] as number)
    sum += sample * sample
    count += 1
  }
  return Math.sqrt(sum / Math.max(1, count))
}
