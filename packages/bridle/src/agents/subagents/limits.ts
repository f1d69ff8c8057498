// Every limit of subagents, with a line on why that number.

/** Sessions above a child that wait for it, the first one included: work that is split more often has lost its purpose. */
export const DEPTH_MAX = 4
/** Children of one run at the same time: as many as calls of one answer. */
export const AT_ONCE_MAX = 8
/** The first pause before a child that could not be reached is tried again; each further one is twice as long. */
export const CHILD_RETRY_MS = 1_000
/** Tries in a row, after which the call fails: half a minute is longer than a restart takes. */
export const CHILD_FAILURES_MAX = 5
/** Digits of the hash in the id of a child: 128 bits, so that no two calls share one. */
export const CHILD_ID_DIGITS = 32
