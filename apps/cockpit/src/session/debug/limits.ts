// Limits of the debug page.

/** Entries of one request: small enough that reading them is no pause, and fifty thousand take a hundred requests. */
export const PAGE_ENTRIES = 500

/** Entries that the page holds, the newest: as many as the time scrubber has, and far below what a tab may take. */
export const ENTRIES_MAX = 100_000

/** Work on entries stops after this time and goes on behind a frame: half of one, so that scrolling stays smooth. */
export const SLICE_MS = 8

/** Entries between two looks at the clock. */
export const SLICE_STEPS = 64

/** News is read so often at most, and once more after this wait: some events change nothing that a page hears of. */
export const FOLLOW_MS = 250
export const LAST_LOOK_MS = 1_500

/** The height of a row in px, as in `debug.css`. */
export const ROW_PX = 26

/** Rows above and below those that are seen: a fast wheel shows no gap. */
export const OVERSCAN_ROWS = 6

/** Characters of a payload in its row. */
export const ROW_CHARS = 160

/** Call ids in the list of a filter: a select with thousands helps nobody, and the search field takes any id. */
export const CALLS_MAX = 200

/** The pause in typing after which the rows are searched. */
export const SEARCH_PAUSE_MS = 120

/** Characters of a text in a tree before it is cut. A click shows all of it. */
export const TREE_TEXT_CHARS = 120

/** Children of one node that a tree shows, and with each further step. */
export const TREE_CHILDREN = 100

/** A longer text stands below its name, not beside it. */
export const FACT_CHARS = 60

/** Frames that the page holds of each wire, and those that it shows. */
export const FRAMES_MAX = 500
export const FRAMES_SHOWN = 100

/** Frames of the past that a feed brings when its tab is opened. */
export const FEED_REPLAY = 50
