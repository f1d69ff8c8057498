// Splits audio into turns by its level above the background noise.

import { SILENCE_MS } from '../spoken/limits.ts'
import { FRAME_MS, LEAD_IN_MS, TURN_MS_MAX, VOICE_LEVEL_MIN } from './limits.ts'
import { levelOf } from './samples.ts'
import type { TurnAudio } from './wav.ts'

/** 80 ms: a short vowel, but longer than a click. */
const VOICED_FRAMES_MIN = 4
/** Less voice in a whole turn is a cough or a knock. */
const VOICED_MS_MIN = 200
/** Counts as voice in any noise. Loud speech is above it. */
const VOICE_LEVEL_MAX = 4_000
/** Voice is this many times louder than the background noise. */
const NOISE_FACTOR = 3
/** Voice drops at the end of sentences, so the threshold is lower within a turn. */
const TURN_LEVEL_FACTOR = 0.6
/** The quietest moment of this window is the noise: speech pauses at least every three seconds. */
const NOISE_WINDOW_MS = 3_000

export interface TurnObserver {
  started(): void
  /** Null if the turn had no speech. */
  stopped(turn: TurnAudio | null): void
}

export class TurnDetector {
  readonly #sampleRate: number
  readonly #observer: TurnObserver
  #frame: Int16Array
  #filled = 0
  readonly #levels: number[] = []
  /** The current turn, or its lead-in. */
  #frames: Int16Array[] = []
  #isOpen = false
  #voicedInRow = 0
  #voicedMs = 0
  #silentMs = 0

  constructor(sampleRate: number, observer: TurnObserver) {
    this.#sampleRate = sampleRate
    this.#observer = observer
    this.#frame = new Int16Array((sampleRate * FRAME_MS) / 1000)
  }

  hear(samples: Int16Array): void {
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + this.#frame.length - this.#filled)
      this.#frame.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled < this.#frame.length) return
      const full = this.#frame
      this.#frame = new Int16Array(full.length)
      this.#filled = 0
      this.#take(full)
    }
  }

  begin(): void {
    this.#isOpen = true
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  end(): void {
    if (this.#isOpen) this.#close()
  }

  #take(frame: Int16Array): void {
    const level = levelOf(frame)
    const isVoiced = level >= this.#threshold() * (this.#isOpen ? TURN_LEVEL_FACTOR : 1)
    this.#levels.push(level)
    if (this.#levels.length > NOISE_WINDOW_MS / FRAME_MS) this.#levels.shift()
    this.#frames.push(frame)
    this.#voicedInRow = isVoiced ? this.#voicedInRow + 1 : 0
    if (!this.#isOpen) return this.#wait()
    this.#voicedMs += isVoiced ? FRAME_MS : 0
    this.#silentMs = isVoiced ? 0 : this.#silentMs + FRAME_MS
    if (this.#silentMs >= SILENCE_MS || this.#frames.length * FRAME_MS >= TURN_MS_MAX) this.#close()
  }

  #wait(): void {
    if (this.#voicedInRow >= VOICED_FRAMES_MIN) {
      this.#isOpen = true
      this.#voicedMs = this.#voicedInRow * FRAME_MS
      this.#silentMs = 0
      this.#observer.started()
    } else if (this.#frames.length > LEAD_IN_MS / FRAME_MS) this.#frames.shift()
  }

  #close(): void {
    const samples = this.#frames
    const isSpeech = this.#voicedMs >= VOICED_MS_MIN
    this.#isOpen = false
    this.#frames = []
    this.#voicedInRow = 0
    this.#observer.stopped(isSpeech ? { sampleRate: this.#sampleRate, samples } : null)
  }

  /** Until a whole window was heard, assume no noise: the user may speak immediately. */
  #threshold(): number {
    const isNoiseKnown = this.#levels.length >= NOISE_WINDOW_MS / FRAME_MS
    const noise = isNoiseKnown ? Math.min(...this.#levels) : 0
    return Math.min(VOICE_LEVEL_MAX, Math.max(VOICE_LEVEL_MIN, noise * NOISE_FACTOR))
  }
}
