// Audio of a client as samples, and speech of a service in the format of a client. Bytes come in pieces of any size.
import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import { decodeG711, encodeG711 } from './g711.ts'

/** Samples of speech for each sample of a telephone: 24,000 a second become 8,000. */
const SPEECH_PER_TELEPHONE_SAMPLE = 3

export const sampleRateOf = (format: AudioFormat): number =>
  (AUDIO_BYTES_PER_MS[format] * 1000) / (format === 'pcm16' ? 2 : 1)

/** The samples of a client's audio. Half a sample waits for its other half. */
export class SampleReader {
  readonly #format: AudioFormat
  #rest = new Uint8Array(0)

  constructor(format: AudioFormat) {
    this.#format = format
  }

  read(bytes: Uint8Array): Int16Array {
    if (this.#format !== 'pcm16') return decodeG711(this.#format, bytes)
    const whole = join(this.#rest, bytes)
    const even = whole.length & ~1
    this.#rest = whole.slice(even)
    return samplesOf(whole.subarray(0, even))
  }
}

/** The speech of a service, 16 bits at 24,000 a second, in the format of a client. */
export class SpeechEncoder {
  readonly #format: AudioFormat
  #rest = new Uint8Array(0)

  constructor(format: AudioFormat) {
    this.#format = format
  }

  encode(bytes: Uint8Array): Uint8Array {
    const whole = join(this.#rest, bytes)
    const unit = this.#format === 'pcm16' ? 2 : 2 * SPEECH_PER_TELEPHONE_SAMPLE
    const size = whole.length - (whole.length % unit)
    this.#rest = whole.slice(size)
    if (this.#format === 'pcm16') return whole.slice(0, size)
    return encodeG711(this.#format, thinOut(samplesOf(whole.subarray(0, size))))
  }
}

/** The mean of three samples: enough of a filter for speech. */
const thinOut = (samples: Int16Array): Int16Array => {
  const thin = new Int16Array(samples.length / SPEECH_PER_TELEPHONE_SAMPLE)
  for (let index = 0, at = 0; index < thin.length; index++, at += SPEECH_PER_TELEPHONE_SAMPLE) {
    const sum = (samples[at] as number) + (samples[at + 1] as number) + (samples[at + 2] as number)
    thin[index] = Math.round(sum / SPEECH_PER_TELEPHONE_SAMPLE)
  }
  return thin
}

const samplesOf = (bytes: Uint8Array): Int16Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = new Int16Array(bytes.length >> 1)
  for (let index = 0; index < samples.length; index++) samples[index] = view.getInt16(index * 2, true)
  return samples
}

const join = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  if (first.length === 0) return second
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

/** The loudness of samples: the root of their mean square. */
export const levelOf = (samples: Int16Array): number => {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}
