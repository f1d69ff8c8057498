// The payload of a row in a line.

import type { LogEntry } from 'bridle/history'
import { eventText } from 'bridle/words'
import { visibleText } from '../../../ui/plain-text.ts'
import { ROW_CHARS } from './merged-text.ts'

/** `text`: pieces of streamed text that the row shows as one. */
export const rowWords = ({ type, payload, withheld, at }: LogEntry, text: string | null = null): string => {
  if (withheld) return 'Payload withheld by the server'
  const words = text ?? eventText(type, payload, at)
  return visibleText(words.slice(0, ROW_CHARS).replace(/\s+/g, ' ').trim())
}
