// Every limit of the agents of a server, with a line on why that number.

/** Editors write a file in several steps within some milliseconds; they count as one change. */
export const FILE_SETTLE_MS = 100
/** Characters of a problem with an agent's file: one line of a terminal or a log. */
export const PROBLEM_CHARS_MAX = 300
