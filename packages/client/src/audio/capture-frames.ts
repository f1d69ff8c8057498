// Splits microphone samples into frames of 20 ms (24 kHz pcm16), each with its level.
import { Resampler } from './resampler.ts'

/** Sample rate of voice lines. */
export const LINE_RATE = 24_000

/** Short enough for a conversation, at fifty messages a second. */
const FRAME_MS = 20
/** Root mean square of loud speech close to a microphone. Shown as a full meter. */
const LOUD_LEVEL = 0.25

export interface CaptureFrame {
  readonly samples: Int16Array<ArrayBuffer>
  /** From 0 (silence) to 1 (loud speech). */
  readonly level: number
}

const FRAME_SAMPLES = (LINE_RATE * FRAME_MS) / 1_000

export class CaptureFrames {
  readonly #resampler: Resampler | null
  readonly #emit: (frame: CaptureFrame) => void
  #frame = new Int16Array(FRAME_SAMPLES)
  #filled = 0
  #power = 0

  constructor(rate: number, emit: (frame: CaptureFrame) => void) {
    this.#resampler = rate === LINE_RATE ? null : new Resampler(rate, LINE_RATE)
    this.#emit = emit
  }

  push(input: Float32Array): void {
    for (const sample of this.#resampler?.push(input) ?? input) {
      this.#frame[this.#filled] = toPcm16(sample)
      this.#filled += 1
      this.#power += sample * sample
      if (this.#filled === FRAME_SAMPLES) this.#endFrame()
    }
  }

  #endFrame(): void {
    const level = Math.min(1, Math.sqrt(this.#power / FRAME_SAMPLES) / LOUD_LEVEL)
    this.#emit({ samples: this.#frame, level })
    this.#frame = new Int16Array(FRAME_SAMPLES)
    this.#filled = 0
    this.#power = 0
  }
}

/** Clip: wrapping around would crackle. */
const toPcm16 = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))
