/** Lines and characters of a reason that are shown at first: the agent writes it, and the arguments stay on the screen below it. */
const REASON_LINES = 5
const REASON_CHARS = 400

/** The beginning of a long reason; null = it is short enough to be shown. */
export const foldedReason = (text: string): string | null => {
  const start = text.split('\n').slice(0, REASON_LINES).join('\n').slice(0, REASON_CHARS)
  if (start.length === text.length) return null
  // Half of a word, or of a character, is none.
  const isInWord = /\S/.test(text[start.length] ?? '')
  return (isInWord ? start.replace(/\s\S*$|[\ud800-\udbff]$/, '') : start).trimEnd()
}
