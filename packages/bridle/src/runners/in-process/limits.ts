// Limits of the runners in process, with the reason for each number.

/** Stopped scripts whose position is kept: the session asks for it at once, or never. */
export const ENDED_RUNS_KEPT_MAX = 100
/** Pieces of text in a row before other sessions run: about a millisecond of work. */
export const PIECES_AT_ONCE = 500
