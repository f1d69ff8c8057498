/** Narrower terminals wrap text themselves. */
export const COLUMNS_MIN = 20
/** Repeated before a withdrawn part of an answer, enough to find the place on screen. */
export const LAST_WORDS_CHARS = 40

/** Candidates for an ambiguous id prefix, as many as fit on a screen. */
export const CANDIDATES_MAX = 10

/** Page size of a log: the server's maximum. */
export const LOG_PAGE = 2_000
/** Page size of a list that is read completely: the server's maximum. */
export const LIST_PAGE = 500
/** More file names would hide the sentence around them. */
export const NAMES_SHOWN = 5
