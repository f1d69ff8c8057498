// Limits of comparisons, so that two large texts never freeze the page.

/** Lines that differ, added and removed together. The time of the comparison grows with its square: this many take some 100 ms. */
export const EDITED_LINES_MAX = 800
/** Unchanged lines around a change: enough to see where it is. */
export const CONTEXT_LINES = 3
/** Lines on the page at first: more make it slow, and the rest is one click away. */
export const SHOWN_LINES = 400
/** Characters of one line at first: minified files are a single line of megabytes. */
export const SHOWN_LINE_CHARS = 5_000
/** Levels of an object that are compared by key; below them two values are compared as a whole. */
export const KEY_LEVELS_MAX = 8
