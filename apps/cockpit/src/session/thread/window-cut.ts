// The place where the window of assistant-ui begins, and the first older message on the page.
import { OLDER_KEPT, WINDOW_MESSAGES } from './limits.ts'

/** The same cut as `useHarnessRuntime` makes with `last`: in steps of half a window, for the messages that do not wait. */
export const windowCut = (length: number): number => {
  const step = WINDOW_MESSAGES / 2
  return length <= WINDOW_MESSAGES ? 0 : Math.floor((length - WINDOW_MESSAGES) / step) * step
}

/** Rows that a reader has on the page stay; at the end of the thread, where nobody sees them, the oldest go. */
export const firstShown = (before: number, cut: number, isAtEnd: boolean): number =>
  Math.min(cut, isAtEnd ? Math.max(before, cut - OLDER_KEPT) : before)
