// A spoken answer while it is played: how much of its audio and text was heard. It has an item for each text that the model spoke.

import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import type { HeardMark } from '@bridle/kernel/projections/listening'
import { wordEnd } from '../spoken/heard-answers.ts'

/** A client plays later than the server sends: audio that should have ended this recently may still be heard. */
const PLAYBACK_SLACK_MS = 300

/** A place in an item: so much text had come when so much audio had come. */
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
  /** The last report of the client while it played. */
  playedMs = 0
  /** The report of the client after it stopped. */
  stoppedMs: number | null = null
  readonly #marks: Mark[] = []
  /** When the audio so far ends, if the client plays it as it comes. */
  endsAt = 0

  constructor(id: string, baseChars: number) {
    this.id = id
    this.baseChars = baseChars
  }

  /** `startsAt`: the time at which the audio before this piece ends. */
  addAudio(ms: number, now: number, startsAt: number): void {
    this.audioMs += ms
    this.endsAt = Math.max(now, startsAt) + ms
    this.#marks.push({ ms: this.audioMs, chars: this.text.length })
  }

  /** The client's own count, or else the time since the audio was sent. */
  heardMs(now: number): number {
    const passed = this.audioMs - Math.max(0, this.endsAt - now)
    return Math.min(this.audioMs, Math.max(0, this.stoppedMs ?? Math.max(this.playedMs, passed)))
  }

  /** The characters that were heard with so much audio. Text may come ahead of its audio, so the smaller estimate counts. */
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
  /** The items of which a part was not heard, with that which was. */
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

  /** The item that the client plays, or has to play. */
  playing(now: number): SpokenItem | null {
    return this.#items.find((item) => item.audioMs > 0 && this.#isUnheard(item, now)) ?? null
  }

  /** The client was away: it plays so much later what it had not played at that time. */
  delay(since: number, ms: number): void {
    for (const item of this.#items) if (item.endsAt > since) item.endsAt += ms
  }

  heard(now: number): HeardPart {
    let chars: number | null = null
    let audioMs = 0
    const cut: { item: SpokenItem; text: string; ms: number }[] = []
    for (const item of this.#items) {
      // Nothing of an item is heard before the item ahead of it has ended.
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
