// Extracts numbered lines from chunks of any size. Buffers only what it returns.
import { truncate } from '@bridle/kernel/text/truncate'
import { RESULT_CHARS_MAX } from './limits.ts'

/** Longer lines are minified code or data. */
const LINE_CHARS_MAX = 1_000

export class LineWindow {
  readonly #first: number
  readonly #last: number
  readonly #lines: string[] = []
  #chars = 0
  #number = 1
  /** The start of the current line, and its length so far. */
  #line = ''
  #lineChars = 0
  #hasMore = false

  /** The first line is 1. */
  constructor(offset: number, limit: number) {
    this.#first = offset
    this.#last = offset + limit - 1
  }

  get isFull(): boolean {
    return this.#number > this.#last || this.#chars >= RESULT_CHARS_MAX
  }

  get hasMore(): boolean {
    return this.#hasMore
  }

  get number(): number {
    return this.#number
  }

  add(text: string): void {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0 && !this.isFull; at = text.indexOf('\n', from)) {
      this.#extend(text.slice(from, at))
      this.#endLine()
      from = at + 1
    }
    if (!this.isFull) this.#extend(text.slice(from))
    else if (from < text.length) this.#hasMore = true
  }

  /** Call once the text has ended or the window is full. */
  end(): readonly string[] {
    if (!this.isFull && this.#lineChars > 0) this.#endLine()
    return this.#lines
  }

  #extend(piece: string): void {
    if (this.#line.length <= LINE_CHARS_MAX) this.#line += piece.slice(0, LINE_CHARS_MAX + 1)
    this.#lineChars += piece.length
  }

  #endLine(): void {
    if (this.#number >= this.#first) {
      const text = this.#line.replace(/\r$/, '')
      const rest = this.#lineChars - LINE_CHARS_MAX
      const cut = rest > 0 && text.length > LINE_CHARS_MAX
      const line = `${this.#number}\t${cut ? `${truncate(text, LINE_CHARS_MAX)}… (${rest} more characters)` : text}`
      this.#lines.push(line)
      this.#chars += line.length + 1
    }
    this.#number += 1
    this.#line = ''
    this.#lineChars = 0
  }
}
