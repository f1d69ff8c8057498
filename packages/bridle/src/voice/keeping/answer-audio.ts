// The audio of answers, from when it is sent until it is known how much of it was heard.
import type { AudioClip } from './audio-clip.ts'
import type { AudioKeeper } from './audio-keeper.ts'

interface SentItem {
  readonly runId: string
  readonly clip: AudioClip
}

export class AnswerAudio {
  readonly #keeper: AudioKeeper | null
  readonly #items = new Map<string, SentItem>()

  /** Null: the session does not ask for audio. */
  constructor(keeper: AudioKeeper | null) {
    this.#keeper = keeper
  }

  /** Audio waits to be kept. */
  get isWaiting(): boolean {
    return this.#items.size > 0
  }

  /** A piece of an item went to the client. */
  add(runId: string, item: string, bytes: Uint8Array): void {
    if (!this.#keeper) return
    const sent = this.#items.get(item) ?? { runId, clip: this.#keeper.clip() }
    this.#items.set(item, sent)
    sent.clip.add(bytes)
  }

  /** The items are over, each after the milliseconds that were heard of it. Null: the item goes on. */
  keep(heardMs: (item: string, runId: string) => number | null): void {
    for (const [item, { runId, clip }] of [...this.#items]) {
      const ms = heardMs(item, runId)
      if (ms === null) continue
      this.#items.delete(item)
      this.#keeper?.keep(runId, 'assistant', () => clip.file(ms))
    }
  }
}
