// A step that did not come out as its case says.

export interface Difference {
  /** Where: a field of a body, a header, `status`. */
  readonly at: string
  readonly expected: string
  readonly actual: string
}

export class CaseFailure extends Error implements Difference {
  readonly at: string
  readonly expected: string
  readonly actual: string
  /** Counted from 1; 0 until it is known. */
  step = 0
  /** The step in a few words. */
  action = ''

  constructor({ at, expected, actual }: Difference) {
    super(`${at}: expected ${expected}, got ${actual}`)
    this.at = at
    this.expected = expected
    this.actual = actual
  }
}

/** The server said nothing for too long. */
export class ServerTimeout extends CaseFailure {
  constructor(expected: string, patienceMs: number, actual = 'nothing') {
    super({ at: 'answer', expected, actual: `${actual} within ${patienceMs / 1_000} seconds` })
  }
}

/** Longer than any step of a case takes on a busy machine. */
export const STEP_TIMEOUT_MS = 15_000

export const fail = (at: string, expected: unknown, actual: unknown): never => {
  throw new CaseFailure({ at, expected: showValue(expected), actual: showValue(actual) })
}

export const showValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}

const SHOWN_MAX = 1_000
