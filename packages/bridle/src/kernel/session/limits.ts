// The limits of one session in memory, with a line on why each number. Limits that other folders share are in the kernel's limits.ts.

/** Timers beyond 2^31 ms fire at once; a day is soon enough to look again. */
export const TIMER_MS_MAX = 86_400_000
/** A timer is set again after this long, although its moment is the same: timers do not see the wall clock jump. */
export const TIMER_KEPT_MS = 1_000
