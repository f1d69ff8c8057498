// Text that a function says again: as far as the log has it already, it is left out.

/** The part of a piece that is new. `keep` is the length of the text in the log that stays; null: all of it stays. */
export interface NewText {
  readonly text: string
  readonly keep: number | null
}

export class TextReplay {
  #log: string
  #at = 0
  readonly #calls: { readonly from: number; readonly to: number }[] = []

  constructor(log: string) {
    this.#log = log
  }

  /** The text in the log was said again. */
  get isDone(): boolean {
    return this.#at >= this.#log.length
  }

  /** A call that is not made again may have said the text between its beginning and its end. */
  addCall(from: number, to: number): void {
    if (to > from) this.#calls.push({ from, to })
  }

  say(piece: string): NewText {
    if (this.isDone) return { text: piece, keep: null }
    const common = this.#commonLength(this.#at, piece)
    if (this.#fits(this.#at, common, piece)) return this.#advance(this.#at, common, piece)
    const behind = this.#behindCalls()
    const commonBehind = this.#commonLength(behind, piece)
    if (behind > this.#at && this.#fits(behind, commonBehind, piece)) return this.#advance(behind, commonBehind, piece)
    const keep = this.#at + common
    this.#log = this.#log.slice(0, keep)
    this.#at = keep
    return { text: piece.slice(common), keep }
  }

  /** The length of the text that stays when the function has ended: it did not say the rest again. Null: all of it stays. */
  end(): number | null {
    const at = this.#behindCalls()
    return at < this.#log.length ? at : null
  }

  #advance(at: number, common: number, piece: string): NewText {
    this.#at = at + common
    return { text: piece.slice(common), keep: null }
  }

  /** The whole piece is there, or it continues the text at its end. */
  #fits(at: number, common: number, piece: string): boolean {
    return common === piece.length || at + common === this.#log.length
  }

  #commonLength(at: number, piece: string): number {
    let length = 0
    while (length < piece.length && at + length < this.#log.length && this.#log[at + length] === piece[length]) length++
    return length
  }

  /** The place behind the calls that may have said the text here. */
  #behindCalls(): number {
    let at = this.#at
    for (;;) {
      const call = this.#calls.find(({ from, to }) => from <= at && at < to)
      if (!call) return Math.min(at, this.#log.length)
      at = call.to
    }
  }
}
