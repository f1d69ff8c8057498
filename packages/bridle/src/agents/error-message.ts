// The message of an error, as the log and callers read it.
import { thrownText } from '../kernel/text/thrown-text.ts'
import { truncate } from '../kernel/text/truncate.ts'
import { ERROR_CHARS_MAX } from './limits.ts'

/** The message of an error: short, and without a stack. */
export const shortErrorMessage = (error: unknown): string => {
  const text = thrownText(error)
  return text.length > ERROR_CHARS_MAX ? `${truncate(text, ERROR_CHARS_MAX)}…` : text
}
