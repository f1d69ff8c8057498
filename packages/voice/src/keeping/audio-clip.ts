// Records the audio of a line in its own format, truncated to the artifact limit.
import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import { decodeG711 } from '../audio/g711.ts'
import { sampleRateOf } from '../audio/samples.ts'
import { wavFile, wavHead } from '../audio/wav.ts'

/** A whole turn or a long answer. 5.8 MB in one write, which blocks the other sessions of a process for about 0.1 s. */
const KEPT_MS_MAX = 120_000

export interface AudioFile {
  readonly bytes: Uint8Array
  readonly audioMs: number
  readonly isCut: boolean
}

export class AudioClip {
  readonly #format: AudioFormat
  readonly #pieces: Uint8Array[] = []
  #keptBytes = 0
  #bytes = 0

  constructor(format: AudioFormat) {
    this.#format = format
  }

  get ms(): number {
    return this.#bytes / AUDIO_BYTES_PER_MS[this.#format]
  }

  /** Takes ownership of the bytes. */
  add(audio: Uint8Array): void {
    this.#bytes += audio.length
    const room = KEPT_MS_MAX * AUDIO_BYTES_PER_MS[this.#format] - this.#keptBytes
    if (room <= 0) return
    const piece = audio.subarray(0, room)
    this.#pieces.push(piece)
    this.#keptBytes += piece.length
  }

  file(msMax = Number.POSITIVE_INFINITY): AudioFile | null {
    const perMs = AUDIO_BYTES_PER_MS[this.#format]
    const wanted = Math.min(this.#bytes, Math.floor(msMax * perMs))
    const size = this.#wholeSamples(Math.min(wanted, this.#keptBytes))
    if (size === 0) return null
    return { bytes: this.#wav(size), audioMs: size / perMs, isCut: this.#wholeSamples(wanted) > size }
  }

  #wholeSamples(bytes: number): number {
    return this.#format === 'pcm16' ? bytes - (bytes % 2) : bytes
  }

  #wav(size: number): Uint8Array {
    const sampleRate = sampleRateOf(this.#format)
    if (this.#format !== 'pcm16') {
      const bytes = this.#joined(new Uint8Array(size), 0)
      return wavFile({ sampleRate, samples: [decodeG711(this.#format, bytes)] })
    }
    // WAV stores the line's samples as they are.
    const head = wavHead(sampleRate, size)
    const file = new Uint8Array(head.length + size)
    file.set(head)
    return this.#joined(file, head.length)
  }

  #joined(target: Uint8Array, from: number): Uint8Array {
    let at = from
    for (const piece of this.#pieces) {
      if (at >= target.length) break
      const part = piece.subarray(0, target.length - at)
      target.set(part, at)
      at += part.length
    }
    return target
  }
}
