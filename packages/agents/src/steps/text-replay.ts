// Text that a function says again: as far as the log has it already, it is left out.

/** The part of a piece that is new. `keep` is the length of the text in the log that stays; null: all of it stays. */
export interface NewText {
  readonly text: string
  readonly keep: number | null
}

/** A call whose tool says a text. `from` is the length of the text in the log when it began; null: the log does not have the call. */
export interface SpeakingCall {
  readonly id: string
  readonly from: number | null
}

interface TextRange {
  readonly from: number
  to: number
}

export class TextReplay {
  #log: string
  #at = 0
  readonly #calls: TextRange[] = []
  /** Text in the log that calls which are made again have said again. */
  readonly #claims: TextRange[] = []
  readonly #lastClaims = new Map<string, TextRange>()

  constructor(log: string) {
    this.#log = log
  }

  get isDone(): boolean {
    return this.#at >= this.#log.length
  }

  /** A call that is not made again may have said the text between its beginning and its end. */
  addCall(from: number, to: number): void {
    if (to > from) this.#calls.push({ from, to })
  }

  /** `call` is the call whose tool says the piece; null: the function itself says it. */
  say(piece: string, call: SpeakingCall | null = null): NewText {
    // Calls that ran at the same time said their texts in any order.
    if (call && call.from !== null && this.#claim(piece, call.id, call.from)) return { text: '', keep: null }
    if (call?.from === null) this.#at = this.#behindCalls()
    if (this.isDone) return { text: piece, keep: null }
    // The log has no text of a new call.
    if (call?.from === null) return this.#differ(this.#at, piece)
    const behind = this.#behindCalls()
    const commonBehind = this.#commonLength(behind, piece)
    // The function itself says the same as a tool before it.
    if (behind > this.#at && commonBehind === piece.length) return this.#advance(behind, commonBehind, piece)
    const common = this.#commonLength(this.#at, piece)
    if (this.#fits(this.#at, common, piece)) return this.#advance(this.#at, common, piece)
    if (behind > this.#at && this.#fits(behind, commonBehind, piece)) return this.#advance(behind, commonBehind, piece)
    return this.#differ(this.#at + common, piece.slice(common))
  }

  /** The length of the text that stays when the function has ended: it did not say the rest again. Null: all of it stays. */
  end(): number | null {
    const at = this.#behindCalls()
    return at < this.#log.length ? at : null
  }

  #differ(keep: number, text: string): NewText {
    this.#log = this.#log.slice(0, keep)
    this.#at = keep
    return { text, keep }
  }

  /** Takes the piece where the log has it after `from`, once. A call says its pieces in their order. */
  #claim(piece: string, id: string, from: number): boolean {
    const last = this.#lastClaims.get(id)
    for (let at = this.#log.indexOf(piece, last?.to ?? from); at >= 0; at = this.#log.indexOf(piece, at + 1)) {
      const to = at + piece.length
      if (this.#claims.some((each) => each.from < to && at < each.to)) continue
      if (last?.to === at) last.to = to
      else this.#addClaim(id, { from: at, to })
      return true
    }
    return false
  }

  #addClaim(id: string, claim: TextRange): void {
    this.#lastClaims.set(id, claim)
    this.#claims.push(claim)
    this.#calls.push(claim)
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
