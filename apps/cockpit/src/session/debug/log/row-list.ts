// The rows of the table: entries that pass the filters, newest first, with runs of text merged. Made in slices, so that a long log never holds the
// page up.
import type { LogEntry } from 'bridle/history'
import type { EntryLog } from './entry-log.ts'

/** Entries between two looks at the clock. */
const SLICE_STEPS = 64

/** An entry, or several in a row of which each carries a piece of one text. */
export interface LogRow {
  /** The number of the newest. */
  readonly seq: number
  /** The number of the oldest; the same for one entry. */
  readonly first: number
}

const MERGED: readonly string[] = ['token', 'thinking']

export class RowList {
  readonly #log: EntryLog
  readonly #isShown: (entry: LogEntry) => boolean
  readonly #last: number
  /** As in the log: from its first page on oldest first, and before it newest first. */
  readonly #newer: LogRow[] = []
  readonly #older: LogRow[] = []
  #top = 0
  #bottom = 0

  /** `last` is the newest number that is shown: in the past, the event that is looked at. */
  constructor(log: EntryLog, isShown: (entry: LogEntry) => boolean, last = Number.POSITIVE_INFINITY) {
    this.#log = log
    this.#isShown = isShown
    this.#last = last
  }

  get count(): number {
    return this.#newer.length + this.#older.length
  }

  /** The row of a place, the newest at 0. */
  at(place: number): LogRow | undefined {
    return place < this.#newer.length
      ? this.#newer[this.#newer.length - 1 - place]
      : this.#older[place - this.#newer.length]
  }

  /** The place of the row that has an entry; -1 = none has. */
  placeOf(seq: number): number {
    let low = 0
    let high = this.count - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const row = this.at(middle) as LogRow
      if (seq > row.seq) high = middle - 1
      else if (seq < row.first) low = middle + 1
      else return middle
    }
    return -1
  }

  /** Goes on until the time is over. True = every entry that is loaded has been looked at. */
  work(isOver: () => boolean): boolean {
    const log = this.#log
    if (log.count === 0) return true
    if (this.#top === 0) {
      // The first slice begins with the newest, as the page does.
      this.#top = Math.min(log.head, this.#last)
      this.#bottom = this.#top + 1
    }
    this.#drop(log.low)
    for (let steps = 1; this.#goOn(); steps += 1) if (steps % SLICE_STEPS === 0 && isOver()) return false
    return true
  }

  /** Rows of entries that the log has lost. */
  #drop(low: number): void {
    const isGone = (row: LogRow | undefined) => row !== undefined && row.seq < low
    while (isGone(this.#older.at(-1))) this.#older.pop()
    if (this.#older.length === 0 && isGone(this.#newer[0])) {
      const kept = this.#newer.findIndex((row) => row.seq >= low)
      this.#newer.splice(0, kept < 0 ? this.#newer.length : kept)
    }
    const rows = this.#older.length > 0 ? this.#older : this.#newer
    const at = rows === this.#older ? rows.length - 1 : 0
    const oldest = rows[at]
    if (oldest && oldest.first < low) rows[at] = { ...oldest, first: low }
  }

  #goOn(): boolean {
    const log = this.#log
    if (this.#top < Math.min(log.head, this.#last)) {
      this.#top += 1
      this.#take(this.#newer, log.entry(this.#top), -1)
    } else if (this.#bottom > log.low) {
      this.#bottom -= 1
      this.#take(this.#older, log.entry(this.#bottom), 1)
    } else return false
    return true
  }

  /** `toNext` leads from the entry to its neighbour in the last row. */
  #take(rows: LogRow[], entry: LogEntry | undefined, toNext: 1 | -1): void {
    if (!entry || !this.#isShown(entry)) return
    const { seq } = entry
    const row = rows.at(-1)
    const neighbour = toNext === 1 ? row?.first : row?.seq
    if (row && neighbour === seq + toNext && this.#isSameText(entry, this.#log.entry(neighbour)))
      rows[rows.length - 1] = { seq: Math.max(row.seq, seq), first: Math.min(row.first, seq) }
    else rows.push({ seq, first: seq })
  }

  #isSameText(one: LogEntry, other: LogEntry | undefined): boolean {
    return (
      MERGED.includes(one.type) &&
      one.type === other?.type &&
      one.run === other.run &&
      one.attempt === other.attempt &&
      one.payload.agent_id === other.payload.agent_id
    )
  }
}
