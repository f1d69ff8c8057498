import type { EntryLog } from './entry-log.ts'

/** Characters of a payload in its row. */
export const ROW_CHARS = 160

/** The text of merged entries, up to a limit: the newest row of a long answer is made anew with every piece. */
export const mergedText = (log: EntryLog, first: number, last: number, chars = ROW_CHARS): string => {
  let text = ''
  for (let seq = first; seq <= last && text.length < chars; seq += 1) text += String(log.entry(seq)?.payload.text ?? '')
  return text
}
