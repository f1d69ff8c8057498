// The limits of one session in memory, with a line on why each number. Limits that other folders share are in the kernel's limits.ts.

/** A runner whose stream breaks is attached again this often before its run counts as lost: a restart of a sandbox takes fewer tries. */
export const REATTACH_MAX = 5
/** The wait before a failed effect is tried again, and the step by which the waits between two attaches grow. */
export const EFFECT_RETRY_MS = 1_000
/** The memory of an encoded page without text, in characters: its entry in the cache. */
export const EMPTY_PAGE_CHARS = 200
/** Reading for this long costs a live turn little, and is long enough for several pages. */
export const READ_SLICE_MS = 2
/** For a clock that stands still while code runs. A page that was encoded before takes well under a millisecond. */
export const READ_SLICE_STEPS = 64
/** Timers beyond 2^31 ms fire at once; a day is soon enough to look again. */
export const TIMER_MS_MAX = 86_400_000
/** A timer is set again after this long, although its moment is the same: timers do not see the wall clock jump. */
export const TIMER_KEPT_MS = 1_000
