import type { AudioFormat, VoiceRequest } from '@bridle/kernel/ports/voice'
import { TURN_MS_MAX, TURN_MS_MIN } from './limits.ts'
import { levelOf, SampleReader, sampleRateOf } from './samples.ts'
import { TurnDetector, type TurnObserver } from './turn-detector.ts'

/** Peak level of a muted or covered microphone. */
const SILENT_LEVEL_MAX = 60

export interface TurnListener {
  readonly isOpen: boolean
  hear(audio: Uint8Array): void
  end(): void
}

export const turnListener = (
  format: AudioFormat,
  turns: VoiceRequest['turns'],
  observer: TurnObserver,
): TurnListener => {
  if (turns === 'manual') return new ManualTurns(format, observer)
  const reader = new SampleReader(format)
  const detector = new TurnDetector(sampleRateOf(format), observer)
  return {
    get isOpen() {
      return detector.isOpen
    },
    hear: (audio) => detector.hear(reader.read(audio)),
    end: () => detector.end(),
  }
}

class ManualTurns implements TurnListener {
  readonly #reader: SampleReader
  readonly #sampleRate: number
  readonly #observer: TurnObserver
  #samples: Int16Array[] = []
  #ms = 0
  #loudest = 0

  constructor(format: AudioFormat, observer: TurnObserver) {
    this.#reader = new SampleReader(format)
    this.#sampleRate = sampleRateOf(format)
    this.#observer = observer
  }

  get isOpen(): boolean {
    return this.#samples.length > 0
  }

  hear(audio: Uint8Array): void {
    const samples = this.#reader.read(audio)
    if (samples.length === 0) return
    if (this.#samples.length === 0) this.#observer.started()
    this.#samples.push(samples)
    this.#ms += (samples.length * 1000) / this.#sampleRate
    this.#loudest = Math.max(this.#loudest, levelOf(samples))
    if (this.#ms >= TURN_MS_MAX) this.end()
  }

  end(): void {
    const { length } = this.#samples
    const isSpeech = this.#ms >= TURN_MS_MIN && this.#loudest > SILENT_LEVEL_MAX
    const turn = isSpeech ? { sampleRate: this.#sampleRate, samples: this.#samples } : null
    this.#samples = []
    this.#ms = 0
    this.#loudest = 0
    if (length > 0) this.#observer.stopped(turn)
  }
}
