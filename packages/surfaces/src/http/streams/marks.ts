// How far a reader is behind, on a platform that does not tell how many bytes are unsent. The server sends a mark after every
// so many characters, and a client that knows marks acknowledges each: all after the last acknowledged mark is unread.

/** Characters between two marks, some six hundred tokens: the answer to each mark is one more message to the server. */
export const MARK_CHARS = 64 * 1024

interface StreamMark {
  readonly seq: number
  /** Characters sent before the mark. */
  readonly sent: number
}

export class MarkTracker {
  #sent = 0
  #acknowledged = 0
  #seq = 0
  #markedChars = 0
  /** Marks without an acknowledgement, oldest first. */
  readonly #open: StreamMark[] = []

  /** Characters sent after the last acknowledged mark. */
  get unacknowledged(): number {
    return this.#sent - this.#acknowledged
  }

  /** Counts messages, which bring the reader to `seq`. Returns the mark to send behind them, if one is due. */
  countSent(messages: readonly string[], seq = this.#seq): string | null {
    for (const message of messages) this.#sent += message.length
    this.#seq = seq
    if (this.#sent - this.#markedChars < MARK_CHARS) return null
    this.#markedChars = this.#sent
    this.#open.push({ seq, sent: this.#sent })
    return JSON.stringify({ type: 'mark', seq })
  }

  /** True when the reader has moved. Only marks that were sent count, so a client gains nothing by claiming more. */
  acknowledge(seq: number): boolean {
    const before = this.#acknowledged
    while (this.#open[0] && this.#open[0].seq <= seq) this.#acknowledged = (this.#open.shift() as StreamMark).sent
    return this.#acknowledged > before
  }
}
