import { REASON_CHARS, REASON_LINES } from './limits.ts'

/** The beginning of a long reason; null = it is short enough to be shown. */
export const foldedReason = (text: string): string | null => {
  const start = text.split('\n').slice(0, REASON_LINES).join('\n').slice(0, REASON_CHARS)
  // Half of a character is none.
  return start.length === text.length ? null : start.replace(/\s+$|[\ud800-\udbff]$/g, '')
}
