// Estimates the backlog where the platform does not report unsent bytes: clients acknowledge the marks sent between messages,
// and everything after the last acknowledged mark counts as unread.

/** About six hundred tokens. Each mark costs a message back to the server. */
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
  readonly #open: StreamMark[] = []

  /** Characters sent after the last acknowledged mark. */
  get unacknowledged(): number {
    return this.#sent - this.#acknowledged
  }

  /** Counts messages up to `seq`. Returns the mark to send next, if one is due. */
  countSent(messages: readonly string[], seq = this.#seq): string | null {
    for (const message of messages) this.#sent += message.length
    this.#seq = seq
    if (this.#sent - this.#markedChars < MARK_CHARS) return null
    this.#markedChars = this.#sent
    this.#open.push({ seq, sent: this.#sent })
    return JSON.stringify({ type: 'mark', seq })
  }

  /** True if the reader progressed. Acknowledging marks that were never sent has no effect. */
  acknowledge(seq: number): boolean {
    const before = this.#acknowledged
    while (this.#open[0] && this.#open[0].seq <= seq) this.#acknowledged = (this.#open.shift() as StreamMark).sent
    return this.#acknowledged > before
  }
}
