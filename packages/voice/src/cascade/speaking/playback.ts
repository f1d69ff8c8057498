// Tracks audio sent to the client and how much it played. Without reports, audio counts as played in real time.
import type { Clock } from '@bridle/kernel/ports/clock'
import type { SentSpeech, Utterance } from './utterance.ts'

export class Playback {
  readonly #clock: Clock
  #speech: readonly SentSpeech[] = []
  #sentMs = 0
  /** When the audio sent so far will have played. */
  #endsAt = 0
  /** Null while the client is connected. */
  #pausedAt: number | null = null
  #items = 0
  #item: {
    readonly name: string
    readonly startMs: number
    readonly runId: string
    readonly isNotice: boolean
  } | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get #now(): number {
    return this.#pausedAt ?? this.#clock.now()
  }

  get aheadMs(): number {
    return Math.min(this.#sentMs, Math.max(0, this.#endsAt - this.#now))
  }

  get playedMs(): number {
    return this.#sentMs - this.aheadMs
  }

  get unplayed(): readonly SentSpeech[] {
    const { playedMs } = this
    return this.#speech.filter(({ endMs, state }) => state === 'coming' || endMs > playedMs)
  }

  get speech(): readonly SentSpeech[] {
    return this.#speech
  }

  begin(utterance: Utterance): SentSpeech {
    const { runId, isNotice } = utterance
    // Keep heard speech only while its answer continues.
    const { unplayed } = this
    this.#speech = this.#speech.filter((each) => each.utterance.runId === runId || unplayed.includes(each))
    if (this.#item?.runId !== runId || this.#item.isNotice !== isNotice) {
      this.#items += 1
      this.#item = { name: `${runId}-${this.#items}`, startMs: this.#sentMs, runId, isNotice }
    }
    const { name: item } = this.#item
    const sent: SentSpeech = { utterance, item, startMs: this.#sentMs, endMs: this.#sentMs, state: 'coming' }
    this.#speech = [...this.#speech, sent]
    return sent
  }

  send(speech: SentSpeech, ms: number): void {
    this.#sentMs += ms
    speech.endMs = this.#sentMs
    this.#endsAt = Math.max(this.#endsAt, this.#now) + ms
  }

  report(item: string, ms: number): void {
    const playedMs = positionOf(this.#speech, item, ms)
    if (playedMs !== null) this.#endsAt = this.#now + this.#sentMs - playedMs
  }

  pause(): void {
    this.#pausedAt ??= this.#clock.now()
  }

  resume(): void {
    const awayMs = this.#clock.now() - this.#now
    this.#pausedAt = null
    this.#endsAt += awayMs
  }

  /** The client discards the audio it has buffered. */
  stop(): void {
    for (const sent of this.#speech) if (sent.state === 'coming') sent.state = 'broken'
    this.#endsAt = this.#now
    this.#item = null
  }
}

/** Converts a time within an item to a time on the line. Null for an unknown item. */
export const positionOf = (speech: readonly SentSpeech[], item: string, ms: number): number | null => {
  const parts = speech.filter((each) => each.item === item)
  const [first, last] = [parts[0], parts.at(-1)]
  return first && last ? Math.min(first.startMs + Math.max(0, ms), last.endMs) : null
}
