// The sizes above which markdown would make a page slow.

/** Longer texts are shown as their last lines until somebody asks for all: live markdown of more takes longer than a frame. */
export const MARKDOWN_CHARS = 100_000

/** The lines of such a text that are shown at first. */
export const TAIL_LINES = 200

/** Lists in lists in quotes: deeper ones are shown as text, for every level costs a frame of the browser's stack. */
export const DEPTH_MAX = 12

/** Marks of emphasis, code and links in one block. A reader tries many pairs of them: a text of nothing else would take minutes. */
export const MARKS_MAX = 600

/** Quotes and items that open on one line. */
export const OPENINGS_MAX = 30
