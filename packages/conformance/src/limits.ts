// Every limit of the conformance suite, with a line on why that number.

/** Longer than any step of a case takes on a busy machine. */
export const STEP_TIMEOUT_MS = 15_000
