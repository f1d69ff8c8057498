// Each reader has a limit, but thousands just below it would still fill the memory. Over budget, the readers furthest behind
// are disconnected and resume at their cursor.

/** An eighth of a small server's memory, or a thousand readers with a page each. */
const UNSENT_BYTES_MAX = 256 * 1024 * 1024
/** Check after this fraction of the budget was written, so that it is never exceeded by more. */
const UNSENT_CHECKS = 16
/** Also check periodically, to forget readers that have left. */
const UNSENT_CHECK_MS = 1_000

export interface SlowReader {
  unsentBytes(): number
  /** Drops the unsent bytes and asks the reader to resume at its cursor. */
  disconnect(): void
}

export class Backlog {
  readonly #bytesMax: number
  readonly #slowReaders = new Set<SlowReader>()
  #unsentSinceCheck = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(bytesMax: number = UNSENT_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** Only called for readers that fall behind; others cost nothing. */
  addUnsent(reader: SlowReader, bytes: number): void {
    this.#slowReaders.add(reader)
    this.#unsentSinceCheck += bytes
    if (this.#unsentSinceCheck * UNSENT_CHECKS > this.#bytesMax) this.#disconnectSlowest()
    this.#timer ??= this.#scheduleCheck()
  }

  #scheduleCheck(): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.#disconnectSlowest()
      this.#timer = this.#slowReaders.size > 0 ? this.#scheduleCheck() : null
    }, UNSENT_CHECK_MS).unref()
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
