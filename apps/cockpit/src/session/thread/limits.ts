// The sizes of a thread. Each bounds work that a frame of the page does.

/** The messages that assistant-ui holds: every one costs it time on every update. The cut moves in steps of half of this. */
export const WINDOW_MESSAGES = 20

/** The older messages that come with each look beyond the top. */
export const OLDER_STEP = 40

/** The older messages that stay on the page while somebody reads at the end. */
export const OLDER_KEPT = 80

/** Within this many pixels of the end, the thread follows what comes. */
export const END_PIXELS = 64

/** A prompt longer than this begins with a part. */
export const PROMPT_CHARS = 1_500

/** The characters of an argument in the row of a tool. */
export const BRIEF_CHARS = 160

/** The citations that a retrieval lists before a click. */
export const CITATIONS_SHOWN = 6

/** Time that a row which was jumped to stays marked: long enough to find it. */
export const POINTED_MS = 2_000
