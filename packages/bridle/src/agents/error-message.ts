// The message of an error, as the log and callers read it.
import { truncate } from '../kernel/text/truncate.ts'
import { ERROR_CHARS_MAX } from './limits.ts'

/** The message of an error: short, and without a stack. */
export const shortErrorMessage = (error: unknown): string => {
  const text = errorText(error)
  return text.length > ERROR_CHARS_MAX ? `${truncate(text, ERROR_CHARS_MAX)}…` : text
}

/** An agent may throw anything, also a value that cannot be written as text. */
const errorText = (error: unknown): string => {
  try {
    return String(error instanceof Error ? error.message || error.name : error)
  } catch {
    return 'Unknown error.'
  }
}
