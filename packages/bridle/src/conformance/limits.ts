// Every limit of the conformance suite, with a line on why that number.

/** Longer than any step of a case takes on a busy machine. */
export const STEP_TIMEOUT_MS = 15_000
/** Characters of a value in a failure: enough to see the difference on a screen. */
export const SHOWN_CHARS_MAX = 1_000
/** A server that lets so many cases in a row time out is gone; waiting for each further case would take minutes. */
export const TIMEOUTS_MAX = 3
