// How far a reader has read, where the platform does not say what is unsent: after each so much a mark is set, and a client
// that knows of marks says when it has seen one. What was sent behind the last one seen still waits for it.
import * as v from 'valibot'
import { MARK_CHARS } from '../limits.ts'

/** What a client says to a mark: it has everything up to here. */
export const seenMessageSchema = v.object({
  type: v.literal('seen'),
  seq: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
})

interface StreamMark {
  readonly seq: number
  /** All that was sent before it. */
  readonly sent: number
}

export class MarkTracker {
  #sent = 0
  #acknowledged = 0
  #seq = 0
  #markedChars = 0
  /** Set and not seen yet, oldest first. */
  readonly #open: StreamMark[] = []

  /** Characters that were sent and not seen, so far as is known. */
  get unacknowledged(): number {
    return this.#sent - this.#acknowledged
  }

  /** Counts what was sent, and the number that it brings the reader to. Returns the mark that is due behind it. */
  countSent(messages: readonly string[], seq = this.#seq): string | null {
    for (const message of messages) this.#sent += message.length
    this.#seq = seq
    if (this.#sent - this.#markedChars < MARK_CHARS) return null
    this.#markedChars = this.#sent
    this.#open.push({ seq, sent: this.#sent })
    return JSON.stringify({ type: 'mark', seq })
  }

  /** True when the reader has moved. Only marks that were set count, so claiming more than was sent gains nothing. */
  acknowledge(seq: number): boolean {
    const before = this.#acknowledged
    while (this.#open[0] && this.#open[0].seq <= seq) this.#acknowledged = (this.#open.shift() as StreamMark).sent
    return this.#acknowledged > before
  }
}
