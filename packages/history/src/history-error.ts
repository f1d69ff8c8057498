/** gap: missing entries. conflict: another entry is known. invalid: not an entry. unreadable: cannot be folded. out_of_range: unknown. */
export type HistoryProblem = 'gap' | 'conflict' | 'invalid' | 'unreadable' | 'out_of_range'

/** An entry does not fit the history, or no event has the requested number. */
export class HistoryError extends Error {
  /** The name of the class. */
  override readonly name = 'HistoryError'
  /** The kind of problem. */
  readonly code: HistoryProblem
  /** The sequence number of the entry; 0 if it has none. */
  readonly seq: number

  constructor(code: HistoryProblem, seq: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.seq = seq
  }
}
