/** Longer than any step takes on a busy machine. */
export const STEP_TIMEOUT_MS = 15_000
