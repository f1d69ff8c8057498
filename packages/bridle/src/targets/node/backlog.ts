// What a whole server has written and its readers have not taken. Each reader has a limit of its own; thousands of them,
// all just below it, would still fill the memory. Over the budget, those furthest behind are told to come back.

/** A reader that did not take all of a write at once. */
export interface SlowReader {
  /** Bytes that wait for it; 0 when it has caught up or is gone. */
  unsentBytes(): number
  /** Tells it to resume by its cursor, and lets go of what waits. */
  disconnect(): void
}

/** Default budget: an eighth of a small server's memory, and a thousand readers with a page each. */
const BYTES_MAX = 256 * 1024 * 1024
/** Looked at after each so many'th of the budget was written to stragglers: it is exceeded by no more than that. */
const PARTS = 16
/** And as long as there are any, now and then, so that nobody who left is kept. */
const LOOK_MS = 1_000

export class Backlog {
  readonly #bytesMax: number
  readonly #slowReaders = new Set<SlowReader>()
  #unsentSinceCheck = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(bytesMax: number = BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** Those who keep up never come here, so they cost nothing. */
  addUnsent(reader: SlowReader, bytes: number): void {
    this.#slowReaders.add(reader)
    this.#unsentSinceCheck += bytes
    if (this.#unsentSinceCheck * PARTS > this.#bytesMax) this.#disconnectSlowest()
    this.#timer ??= this.#scheduleCheck()
  }

  #scheduleCheck(): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.#disconnectSlowest()
      this.#timer = this.#slowReaders.size > 0 ? this.#scheduleCheck() : null
    }, LOOK_MS).unref()
  }

  #disconnectSlowest(): void {
    this.#unsentSinceCheck = 0
    let sum = 0
    const waiting: { readonly reader: SlowReader; readonly bytes: number }[] = []
    for (const reader of this.#slowReaders) {
      const bytes = reader.unsentBytes()
      sum += bytes
      if (bytes > 0) waiting.push({ reader, bytes })
      else this.#slowReaders.delete(reader)
    }
    if (sum <= this.#bytesMax) return
    waiting.sort((a, b) => b.bytes - a.bytes)
    for (const { reader, bytes } of waiting) {
      if (sum <= this.#bytesMax) return
      this.#slowReaders.delete(reader)
      reader.disconnect()
      sum -= bytes
    }
  }
}
