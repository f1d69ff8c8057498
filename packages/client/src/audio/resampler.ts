// A streaming resampler with a windowed sinc low-pass filter. Without it, a 48 kHz voice would alias at 24 kHz.

/** Zero crossings on each side: no audible aliasing, for 0.1 % of a core. */
const FILTER_CROSSINGS = 16

export class Resampler {
  readonly #from: number
  readonly #to: number
  /** Input samples on each side that contribute to an output sample. */
  readonly #reach: number
  /** Filter weights by phase between two input samples. */
  readonly #weights: readonly Float32Array[]
  /** Input that later output needs. */
  #held: Float32Array
  /** Position of the next output sample, in steps of 1 / `#to` input samples from the start of `#held`. */
  #place: number

  constructor(fromRate: number, toRate: number) {
    const divisor = greatestDivisor(fromRate, toRate)
    this.#from = fromRate / divisor
    this.#to = toRate / divisor
    const cutoff = Math.min(1, toRate / fromRate)
    this.#reach = Math.ceil(FILTER_CROSSINGS / cutoff)
    this.#weights = Array.from({ length: this.#to }, (_, phase) => weightsAt(phase / this.#to, this.#reach, cutoff))
    // Aligns the first output sample with the first input sample, preceded by silence.
    this.#held = new Float32Array(this.#reach)
    this.#place = this.#reach * this.#to
  }

  push(input: Float32Array): Float32Array {
    const samples = new Float32Array(this.#held.length + input.length)
    samples.set(this.#held)
    samples.set(input, this.#held.length)
    const last = samples.length - this.#reach - 1
    const count = Math.max(0, Math.ceil(((last + 1) * this.#to - this.#place) / this.#from))
    const output = new Float32Array(count)
    for (let at = 0; at < count; at += 1) {
      output[at] = this.#sampleAt(samples)
      this.#place += this.#from
    }
    const first = Math.max(0, Math.floor(this.#place / this.#to) - this.#reach)
    this.#held = samples.slice(first)
    this.#place -= first * this.#to
    return output
  }

  #sampleAt(samples: Float32Array): number {
    const centre = Math.floor(this.#place / this.#to)
    const weights = this.#weights[this.#place % this.#to] as Float32Array
    const start = centre - this.#reach
    let sum = 0
    for (let at = 0; at < weights.length; at += 1) sum += (weights[at] ?? 0) * (samples[start + at] ?? 0)
    return sum
  }
}

/** Filter weights at `fraction` after an input sample, normalised to a sum of one. */
const weightsAt = (fraction: number, reach: number, cutoff: number): Float32Array => {
  const weights = Float32Array.from({ length: 2 * reach + 1 }, (_, at) => {
    const distance = at - reach - fraction
    return sinc(distance * cutoff) * hann(distance / (reach + 1))
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
const hann = (x: number): number => (Math.abs(x) >= 1 ? 0 : 0.5 + 0.5 * Math.cos(Math.PI * x))

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other)
