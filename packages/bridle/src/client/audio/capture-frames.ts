// The microphone's samples as frames of a line: 20 ms of pcm16 at 24,000 samples a second, each with its level.
import { FRAME_MS, LINE_RATE, LOUD_LEVEL } from './limits.ts'
import { Resampler } from './resampler.ts'

/** A frame of the microphone. */
export interface CaptureFrame {
  readonly samples: Int16Array<ArrayBuffer>
  /** From 0, silence, to 1, loud speech. */
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

/** Louder than loudest is clipped: a wrapped number would crack. */
const toPcm16 = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))
