// The sizes of what every page shows.

/** The characters of a text that are shown at first, and with each further step. */
export const CODE_CHARS = 20_000
export const CODE_STEP = 100_000

/** More text than this stays out of the page: a browser takes seconds to lay it out. Copying gives all of it. */
export const CODE_MAX = 500_000

/** Time that a note stays: long enough to read a sentence and to reach its button. What it announced happens then. */
export const TOAST_MS = 5_000

/** Time that a button says "Copied". */
export const CONFIRMED_MS = 1_500

/** From this part of a limit on, a measure is high: time is left to do something. */
export const HIGH_PART = 0.8

/** Empty lines in a row that are shown as they are: two separate paragraphs and functions, more only make distance. */
export const BLANK_LINES_MAX = 2

/** Characters in a row that draw nothing and are shown as they are: enough for the indentation of most code. */
export const BLANKS_MAX = 20

/** Kinds of characters that a count names. */
export const BLANK_KINDS_SHOWN = 4

/** How often a card looks whether the end of its text is on the screen: soon after a person has scrolled there. */
export const READING_LOOK_MS = 200
