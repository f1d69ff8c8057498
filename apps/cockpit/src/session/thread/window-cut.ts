// The place where the window of assistant-ui begins, and the first older message on the page.

/** The messages that assistant-ui holds: every one costs it time on every update. The cut moves in steps of half of this. */
export const WINDOW_MESSAGES = 20

/** The older messages that stay on the page while somebody reads at the end. */
const OLDER_KEPT = 80

/** The same cut as `useHarnessRuntime` makes with `last`: in steps of half a window, for the messages that do not wait. */
export const windowCut = (length: number): number => {
  const step = WINDOW_MESSAGES / 2
  return length <= WINDOW_MESSAGES ? 0 : Math.floor((length - WINDOW_MESSAGES) / step) * step
}

/** Rows that a reader has on the page stay; at the end of the thread, where nobody sees them, the oldest go. */
export const firstShown = (before: number, cut: number, isAtEnd: boolean): number =>
  Math.min(cut, isAtEnd ? Math.max(before, cut - OLDER_KEPT) : before)
