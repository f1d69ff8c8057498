// The unsent bytes of all readers of a server. Each reader has a limit, but thousands of readers just below it would still fill the
// memory. Over the budget, the readers furthest behind are disconnected and resume at their cursor.

/** Unsent bytes of all readers: an eighth of a small server's memory, or a thousand readers with a page each. */
const UNSENT_BYTES_MAX = 256 * 1024 * 1024
/** Slow readers are checked each time this part of the budget was written to them, so the budget is exceeded by no more. */
const UNSENT_CHECKS = 16
/** Slow readers are also checked this often, so that the set forgets those that have left. */
const UNSENT_CHECK_MS = 1_000

/** A reader whose connection did not accept all bytes of a write at once. */
export interface SlowReader {
  /** Bytes that wait for the reader; 0 when it has caught up or is gone. */
  unsentBytes(): number
  /** Tells the reader to resume at its cursor, and drops the waiting bytes. */
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

  /** Only for readers that fall behind; the others cost nothing. */
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
