// Tracks how much of an answer's audio and text was heard, with an item per spoken text.

import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import type { HeardMark } from '@bridle/kernel/projections/listening'
import { wordEnd } from '../spoken/heard-answers.ts'

/** Clients play slightly late: audio that should have ended this recently may still be audible. */
const PLAYBACK_SLACK_MS = 300

/** The text and audio received at the same moment. */
interface Mark {
  readonly ms: number
  readonly chars: number
}

export class SpokenItem {
  readonly id: string
  readonly baseChars: number
  text = ''
  audioMs = 0
  isComplete = false
  /** The client's last report during playback. */
  playedMs = 0
  /** The client's report after it stopped. */
  stoppedMs: number | null = null
  readonly #marks: Mark[] = []
  /** When playback of the audio so far ends. */
  endsAt = 0

  constructor(id: string, baseChars: number) {
    this.id = id
    this.baseChars = baseChars
  }

  /** `startsAt`: when playback of the previous audio ends. */
  addAudio(ms: number, now: number, startsAt: number): void {
    this.audioMs += ms
    this.endsAt = Math.max(now, startsAt) + ms
    this.#marks.push({ ms: this.audioMs, chars: this.text.length })
  }

  /** The client's report, otherwise the time since the audio was sent. */
  heardMs(now: number): number {
    const passed = this.audioMs - Math.max(0, this.endsAt - now)
    return Math.min(this.audioMs, Math.max(0, this.stoppedMs ?? Math.max(this.playedMs, passed)))
  }

  /** Text may arrive ahead of its audio, so the smaller estimate counts. */
  heardChars(ms: number): number {
    if (this.audioMs === 0) return 0
    if (ms >= this.audioMs) return this.isComplete ? this.text.length : (this.#marks.at(-1)?.chars ?? 0)
    const index = this.#marks.findIndex((mark) => mark.ms >= ms)
    const [from, to] = [this.#marks[index - 1] ?? { ms: 0, chars: 0 }, this.#marks[index]]
    if (!to) return this.text.length
    const between = from.chars + ((to.chars - from.chars) * (ms - from.ms)) / Math.max(1, to.ms - from.ms)
    return wordEnd(this.text, Math.floor(Math.min(between, (this.text.length * ms) / this.audioMs)))
  }
}

interface HeardPart extends HeardMark {
  /** Partly heard items, with the part that was heard. */
  readonly cut: readonly { readonly item: SpokenItem; readonly text: string; readonly ms: number }[]
}

export class SpokenAnswer {
  readonly runId: string
  readonly #format: AudioFormat
  readonly #items: SpokenItem[] = []

  constructor(runId: string, format: AudioFormat) {
    this.runId = runId
    this.#format = format
  }

  item(id: string): SpokenItem | undefined {
    return this.#items.find((each) => each.id === id)
  }

  get last(): SpokenItem | undefined {
    return this.#items.at(-1)
  }

  addItem(id: string, baseChars: number): SpokenItem {
    const item = new SpokenItem(id, baseChars)
    this.#items.push(item)
    return item
  }

  addAudio(item: SpokenItem, bytes: number, now: number): void {
    item.addAudio(bytes / AUDIO_BYTES_PER_MS[this.#format], now, this.#endsAt)
  }

  playing(now: number): SpokenItem | null {
    return this.#items.find((item) => item.audioMs > 0 && this.#isUnheard(item, now)) ?? null
  }

  /** Shifts unplayed audio by the time the client was away. */
  delay(since: number, ms: number): void {
    for (const item of this.#items) if (item.endsAt > since) item.endsAt += ms
  }

  heard(now: number): HeardPart {
    let chars: number | null = null
    let audioMs = 0
    const cut: { item: SpokenItem; text: string; ms: number }[] = []
    for (const item of this.#items) {
      // Items play in order, so nothing after an unfinished one was heard.
      const ms = chars === null ? item.heardMs(now) : 0
      const heardChars: number = chars === null ? item.heardChars(ms) : 0
      audioMs += ms
      if (chars === null && item.isComplete && heardChars === item.text.length) continue
      cut.push({ item, text: item.text.slice(0, heardChars), ms })
      chars ??= item.baseChars + heardChars
    }
    const last = this.#items.at(-1)
    return { runId: this.runId, chars: chars ?? (last ? last.baseChars + last.text.length : 0), audioMs, cut }
  }

  heardItems(now: number): ReadonlyMap<string, number> {
    const { cut } = this.heard(now)
    return new Map(this.#items.map((item) => [item.id, cut.find((each) => each.item === item)?.ms ?? item.audioMs]))
  }

  get #endsAt(): number {
    return this.#items.reduce((latest, { endsAt }) => Math.max(latest, endsAt), 0)
  }

  #isUnheard(item: SpokenItem, now: number): boolean {
    if (item.stoppedMs !== null || item.playedMs >= item.audioMs) return false
    return now < item.endsAt + PLAYBACK_SLACK_MS
  }
}
