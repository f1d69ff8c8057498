// The sizes of the inspector: its timeline and its context.

/** Steps of a plan that are shown before the one that is next. */
export const PLAN_STEPS_BEFORE = 4

/** Steps of a plan, around the one that is next: a long plan would push the calls off the screen. */
export const PLAN_STEPS = 10

/** A wait for people has at least this room on the axis, or it could not be seen. */
export const WAIT_MS_MIN = 1_000

/** A wait for people takes this part of the axis at most: it would dwarf what tools do. */
export const WAIT_PART = 0.15

/** A gap takes this part of the time with calls, at most: it can be seen, and takes little room. */
export const GAP_PART = 0.03

/** A gap is folded, and says so, from so many times its room on: below that the axis tells no other story than a clock. */
export const FOLD_FACTOR = 2

/** An axis has few words: its column is narrow. */
export const TICKS_MAX = 3

/** Calls of a kind that are one row: two can be told apart at a glance, more push others off the screen. */
export const FOLDED_FROM = 3

/** Rows of the timeline, newest last, and as many again with each click. */
export const TIMELINE_ROWS = 60

/** A tick beyond this part of the axis would run into the word at its end. */
export const LAST_TICK = 0.75

/** Values of a notice without a known form: a page about a session is no place for a whole document. */
export const FACTS_MAX = 20
