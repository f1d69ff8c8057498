import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import { decodeG711, encodeG711 } from './g711.ts'

/** Downsampling from 24 kHz to 8 kHz. */
const SPEECH_PER_TELEPHONE_SAMPLE = 3

export const sampleRateOf = (format: AudioFormat): number =>
  (AUDIO_BYTES_PER_MS[format] * 1000) / (format === 'pcm16' ? 2 : 1)

/** Buffers half a sample until its other half arrives. */
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

/** A mean of three samples is a sufficient low-pass filter for speech. */
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

export const levelOf = (samples: Int16Array): number => {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}
