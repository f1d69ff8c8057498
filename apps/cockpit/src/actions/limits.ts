// Limits of the palette, and the worth of a match.

/** A word of the query at the start of a word, inside one, and as letters in order: each is worth far more than the next. */
export const WORD_START_SCORE = 100
export const INSIDE_SCORE = 40
export const SCATTERED_SCORE = 10

/** Rows of one group: the list stays short enough to be read, and one more letter brings the rest. */
export const GROUP_ROWS = 8

/** Rows of a group while nothing is typed: all actions of any page, and no more sessions than somebody scrolls through. */
export const UNTYPED_ROWS = 60

/** The pause in typing after which the server is asked for sessions. */
export const SEARCH_PAUSE_MS = 150

/** Sessions that the server is asked for: a group shows fewer. */
export const FOUND_SESSIONS = 20

/** Characters of a text in a row of the palette. */
export const ROW_CHARS = 120
