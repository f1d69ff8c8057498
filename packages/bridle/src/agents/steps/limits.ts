// Every limit of durable functions, with a line on why that number.

/**
 * Time in which a durable function that can only wait stays in memory: an answer that comes at once costs no new beginning, and a
 * session that waits for a person costs nothing a second later.
 */
export const WAIT_GRACE_MS = 1_000
/** Characters of a step's result as JSON: an event has room for it in every store. Larger results belong in an artifact. */
export const STEP_RESULT_CHARS_MAX = 1_000_000
/** Characters of the name of a step, a sleep or a signal: people read it in the log. */
export const STEP_NAME_CHARS_MAX = 128
/** Microtasks in which the function may go on after a call of the session that it does not await: a chain of promises needs a few. */
export const CONTINUATION_TICKS = 100
/** Branches of branches that continue one turn, whose runs are read: nobody branches deeper in the middle of a turn. */
export const CONTINUED_RUNS_MAX = 100
