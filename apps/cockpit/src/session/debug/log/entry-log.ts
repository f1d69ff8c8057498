// The entries that the page has: without a gap, from some number up to the newest. The newest are loaded first and the older ones behind them.
// A log that goes on for ever loses its oldest entries here.
import type { LogEntry } from 'bridle/history'
import { factsOf } from './entry-facts.ts'
import { ENTRIES_MAX, LogFacets } from './log-facets.ts'

export class EntryLog {
  /** Entries from the first loaded page on, oldest first, and entries before it, newest first. */
  readonly #newer: LogEntry[] = []
  readonly #older: LogEntry[] = []
  #pivot = 1
  #isCut = false
  readonly facets = new LogFacets()

  /** Entries were here and are not any more. */
  get isCut(): boolean {
    return this.#isCut
  }

  get count(): number {
    return this.#newer.length + this.#older.length
  }

  /** The newest number; 0 = there is none. */
  get head(): number {
    return this.count === 0 ? 0 : this.#pivot + this.#newer.length - 1
  }

  /** The oldest number that is here. */
  get low(): number {
    return this.#pivot - this.#older.length
  }

  entry(seq: number): LogEntry | undefined {
    return seq >= this.#pivot ? this.#newer[seq - this.#pivot] : this.#older[this.#pivot - 1 - seq]
  }

  /** Entries behind the newest; those that are here already are skipped. */
  addNewer(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      if (this.count === 0) this.#pivot = entry.seq
      if (entry.seq !== this.head + 1 && this.count > 0) continue
      this.#newer.push(entry)
      this.facets.add(factsOf(entry))
    }
    this.#trim()
  }

  #trim(): void {
    const extra = this.count - ENTRIES_MAX
    if (extra <= 0) return
    this.#isCut = true
    const older = Math.min(extra, this.#older.length)
    this.#older.length -= older
    this.#newer.splice(0, extra - older)
    this.#pivot += extra - older
  }

  /** Entries before the oldest, in the order of their numbers. */
  addOlder(entries: readonly LogEntry[]): void {
    for (const entry of entries.toReversed()) {
      if (entry.seq !== this.low - 1) continue
      this.#older.push(entry)
      this.facets.add(factsOf(entry))
    }
  }
}
