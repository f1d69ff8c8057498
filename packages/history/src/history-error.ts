/** gap: numbers are missing. conflict: the entry is not the one that the history has. invalid: no entry at all. unreadable: no fold takes it. out_of_range: the history has no such event. */
export type HistoryProblem = 'gap' | 'conflict' | 'invalid' | 'unreadable' | 'out_of_range'

/** Entries that do not fit into a history, or a number that it does not have. */
export class HistoryError extends Error {
  /** The name of the class. */
  override readonly name = 'HistoryError'
  /** The kind of the problem. */
  readonly code: HistoryProblem
  /** The number of the entry, as far as it has one. */
  readonly seq: number

  constructor(code: HistoryProblem, seq: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.seq = seq
  }
}
