// The rest of a turn whose beginning was lost: audio that nobody needs, up to the end of the turn.
import type { AudioFormat, VoiceRequest } from '../../kernel/ports/voice.ts'
import { SampleReader, sampleRateOf } from './samples.ts'
import { TurnDetector } from './turn-detector.ts'

export class RestOfTurn {
  readonly #reader: SampleReader
  /** Null: the client says where its turn ends. */
  readonly #detector: TurnDetector | null
  #isOver = false

  constructor(format: AudioFormat, turns: VoiceRequest['turns']) {
    this.#reader = new SampleReader(format)
    const stopped = () => {
      this.#isOver = true
    }
    this.#detector = turns === 'manual' ? null : new TurnDetector(sampleRateOf(format), { started: () => {}, stopped })
    this.#detector?.begin()
  }

  /** False: the turn is over, and the audio is none of it. */
  hear(audio: Uint8Array): boolean {
    if (this.#isOver) return false
    this.#detector?.hear(this.#reader.read(audio))
    return true
  }
}
