// Every limit of the command line, with a line on why that number.

/** Text is not wrapped into narrower lines; such a terminal wraps them itself. */
export const COLUMNS_MIN = 20
/** Characters before a withdrawn piece of an answer that are shown again: enough to find the place on the screen. */
export const LAST_WORDS_CHARS = 40

/** Ids that are listed when the beginning of an id fits several: as many as fit on a screen. */
export const CANDIDATES_MAX = 10

/** Entries of a log per request: the most that a server gives. */
export const LOG_PAGE = 2_000
/** Sessions per request of a list that is read as a whole. */
export const LIST_PAGE = 500
/** Names of files in one message: more would hide the sentence around them. */
export const NAMES_SHOWN = 5
