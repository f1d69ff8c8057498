// The sizes and times of the past: its bar, its log, and how it plays.

/** Bars of the scrubber: a wide screen has room for some 850 pixels, and a bar with its gap takes seven. */
export const BARS_MAX = 120

/** Places for marks on the scrubber: a mark is twelve pixels wide, and two must not cover each other. */
export const MARK_PLACES = 48

/**
 * The weights of events in their bar. A piece of streamed text weighs 1, so that a long answer does not hide the calls around it; the steps of
 * a turn weigh more, and an event with a mark most, as somebody looks for it.
 */
export const TEXT_WEIGHT = 1
export const EVENT_WEIGHT = 2
export const STEP_WEIGHT = 4
export const MARK_WEIGHT = 8

/** The height of the lowest bar, as a part of the highest: a bar that cannot be seen looks like a gap in the log. */
export const BAR_PART_MIN = 0.14

/** Events of one request for the log: some hundred kilobytes, which a browser reads within a few milliseconds. */
export const LOG_PAGE = 1_000

/** Time of folding before the page gets its turn again: a task of 50 ms is felt, and other work needs its part of a frame. */
export const FOLD_SLICE_MS = 8

/** Events that are folded between two looks at the clock. */
export const FOLD_STEP = 25

/** Time between two looks for events that came meanwhile. */
export const FOLLOW_MS = 1_000

/** Time between two changes of the address while the cursor moves: browsers ignore a page that changes it all the time. */
export const ADDRESS_MS = 400

/** Time between two renderings of the page while the cursor is dragged: each may take longer than a frame, and the cursor must not wait. */
export const PAGE_PACE_MS = 150

/** Time that the cursor rests before a screen reader says where it is. */
export const REST_MS = 600

/** Time that an event stays while the log plays: long enough to see what changed. */
export const PLAY_EVENT_MS = 350

/** The same for pieces of streamed text, which come in groups. */
export const PLAY_TEXT_MS = 90

/** Pieces of streamed text of one step. */
export const PLAY_TEXT_PIECES = 6

/** Time of a step for readers who want little motion: the page jumps from event to event, and leaves text pieces out. */
export const PLAY_CALM_MS = 1_500

/** Events that Page Up and Page Down move by, as a part of the log. */
export const PAGE_PART = 0.1

/** Changed arguments that a past answer names: the event itself has all of them. */
export const CHANGES_SHOWN = 3

/** Characters of each of them. */
export const VALUE_CHARS = 40

/** The room of a bar, in units of the drawing, which is stretched to the width of its line; bars stay as wide as they are. */
export const BAR_STEP = 10
export const BAR_HEIGHT = 22
