// Queues audio and counts the samples that reached the speaker, so that an interruption knows what was heard.
import { LINE_RATE } from './capture-frames.ts'
import { Resampler } from './resampler.ts'

/** Interval of playback reports. An interruption is off by a word at most. */
const REPORT_MS = 100
/** Ten minutes. Models speak faster than real time, but no answer is that long. */
const WAITING_MS_MAX = 600_000

export interface PlaybackReport {
  readonly item: string
  readonly ms: number
  readonly isIdle: boolean
  /** The item was stopped and will not continue. */
  readonly isStopped: boolean
}

export class PlaybackQueue {
  readonly #rate: number
  readonly #report: (report: PlaybackReport) => void
  #pieces: { readonly item: string; readonly samples: Float32Array }[] = []
  /** Samples already played of the first piece. */
  #offset = 0
  #waiting = 0
  /** The item played last, and its sample count. */
  #item: string | null = null
  #played = 0
  #unreported = 0
  #resampler: Resampler | null = null
  /** The resampler's current item. Another item starts from silence. */
  #resampledItem: string | null = null

  constructor(rate: number, report: (report: PlaybackReport) => void) {
    this.#rate = rate
    this.#report = report
  }

  push(item: string, pcm: Int16Array): void {
    const samples = this.#atRate(item, fromPcm16(pcm))
    if (((this.#waiting + samples.length) * 1_000) / this.#rate > WAITING_MS_MAX) return
    this.#waiting += samples.length
    this.#pieces.push({ item, samples })
  }

  /** Drops an item, or everything, and reports how much of it was played. */
  stop(item: string | null): void {
    const isPlaying = this.#pieces[0]?.item
    this.#pieces = item === null ? [] : this.#pieces.filter((piece) => piece.item !== item)
    if (this.#pieces[0]?.item !== isPlaying) this.#offset = 0
    this.#waiting = this.#pieces.reduce((sum, { samples }) => sum + samples.length, -this.#offset)
    const stopped = item ?? isPlaying ?? this.#item
    if (stopped !== null) this.#tell(stopped, stopped === this.#item ? this.#played : 0, true)
  }

  /** Fills one output block, padded with silence. */
  fill(output: Float32Array): void {
    let at = 0
    while (at < output.length) {
      const [piece] = this.#pieces
      if (piece === undefined) break
      if (piece.item !== this.#item) this.#begin(piece.item)
      const samples = piece.samples.subarray(this.#offset, this.#offset + output.length - at)
      output.set(samples, at)
      at += samples.length
      this.#offset += samples.length
      this.#played += samples.length
      this.#unreported += samples.length
      if (this.#offset < piece.samples.length) continue
      this.#pieces.shift()
      this.#offset = 0
    }
    this.#waiting -= at
    output.fill(0, at)
    if (at === 0 || this.#item === null) return
    if (this.#pieces.length === 0 || (this.#unreported * 1_000) / this.#rate >= REPORT_MS)
      this.#tell(this.#item, this.#played)
  }

  #begin(item: string): void {
    if (this.#item !== null && this.#unreported > 0) this.#tell(this.#item, this.#played)
    this.#item = item
    this.#played = 0
  }

  #tell(item: string, samples: number, isStopped = false): void {
    this.#unreported = 0
    this.#report({ item, ms: (samples * 1_000) / this.#rate, isIdle: this.#pieces.length === 0, isStopped })
  }

  #atRate(item: string, samples: Float32Array): Float32Array {
    if (this.#rate === LINE_RATE) return samples
    if (this.#resampledItem !== item) this.#resampler = new Resampler(LINE_RATE, this.#rate)
    this.#resampledItem = item
    return this.#resampler?.push(samples) ?? samples
  }
}

/** A loop, because `Float32Array.from` with a mapper is ten times slower. */
const fromPcm16 = (pcm: Int16Array): Float32Array => {
  const samples = new Float32Array(pcm.length)
  for (let at = 0; at < pcm.length; at += 1) samples[at] = (pcm[at] ?? 0) / 32_768
  return samples
}
