// The sizes of the page of branches.

/** Entries of each log that are compared: two long days of work, and a second to fold. */
export const COMPARED_ENTRIES_MAX = 40_000

/** Entries before the point where two sessions part, to show what they last had in common. */
export const SHARED_ENTRIES = 200

/** Rows that both sessions have, above the line where they part. */
export const SHARED_ROWS = 2

/** Rows of one session behind that line: a person reads fewer, and the timeline has all of them. */
export const COMPARED_ROWS_MAX = 300

/** Characters of a text in a row, which has one line. */
export const ROW_CHARS = 300

/** Characters of the last words of a session. */
export const LAST_WORDS_CHARS = 4_000

/** Files that are listed by name. */
export const FILES_LISTED_MAX = 40

/** The height of a line of the tree, and the room right of it for the word of its status, in pixels. */
export const LINE_PX = 48
export const END_WORD_PX = 130
export const SMALL_END_WORD_PX = 100
/** The room above the lines for the numbers of the axis. */
export const TREE_TOP_PX = 24

/** Ticks of the axis, about. */
export const TICKS = 6

/** Prompts that a session queues: the server's own limit. */
export const REPLAY_PROMPTS_MAX = 100
