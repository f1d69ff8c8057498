// Discards the rest of a turn whose start was lost.
import { AUDIO_BYTES_PER_MS, type AudioFormat, type VoiceRequest } from '@bridle/kernel/ports/voice'
import { FRAME_MS } from './limits.ts'
import { SampleReader, sampleRateOf } from './samples.ts'
import { TurnDetector } from './turn-detector.ts'

export class RestOfTurn {
  readonly #reader: SampleReader
  /** Null if the client marks the end of its turns. */
  readonly #detector: TurnDetector | null
  readonly #pieceBytes: number
  #isOver = false

  constructor(format: AudioFormat, turns: VoiceRequest['turns']) {
    this.#pieceBytes = FRAME_MS * AUDIO_BYTES_PER_MS[format]
    this.#reader = new SampleReader(format)
    const stopped = () => {
      this.#isOver = true
    }
    this.#detector = turns === 'manual' ? null : new TurnDetector(sampleRateOf(format), { started: () => {}, stopped })
    this.#detector?.begin()
  }

  /** The audio after the end of the turn. Null while the turn continues. */
  hear(audio: Uint8Array): Uint8Array | null {
    for (let at = 0; at < audio.length; at += this.#pieceBytes) {
      this.#detector?.hear(this.#reader.read(audio.subarray(at, at + this.#pieceBytes)))
      if (this.#isOver) return audio.subarray(at + this.#pieceBytes)
    }
    return null
  }
}
