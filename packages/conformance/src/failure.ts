/** Enough to see the difference on one screen. */
const SHOWN_CHARS_MAX = 1_000

export interface Difference {
  /** A field of the body, a header, or `status`. */
  readonly at: string
  readonly expected: string
  readonly actual: string
}

export class CaseFailure extends Error implements Difference {
  readonly at: string
  readonly expected: string
  readonly actual: string
  /** Counts from 1; 0 until the player sets it. */
  step = 0
  action = ''

  constructor({ at, expected, actual }: Difference) {
    super(`${at}: expected ${expected}, got ${actual}`)
    this.at = at
    this.expected = expected
    this.actual = actual
  }
}

export class ServerTimeout extends CaseFailure {
  constructor(expected: string, timeoutMs: number, actual = 'nothing') {
    super({ at: 'answer', expected, actual: `${actual} within ${timeoutMs / 1_000} seconds` })
  }
}

export const fail = (at: string, expected: unknown, actual: unknown): never => {
  throw new CaseFailure({ at, expected: showValue(expected), actual: showValue(actual) })
}

export const showValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text
}
