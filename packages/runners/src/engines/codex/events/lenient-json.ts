// Reads JSON of uncertain shape: a field that is missing or has another type is undefined.
import { type Json, objectOf } from '@bridle/events/json'

export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : [])
export const textIn = (value: unknown, name: string): string | undefined => {
  const found = objectOf(value)[name]
  return typeof found === 'string' ? found : undefined
}

/** A tool's output is text, or parts of which some are text. */
export const outputText = (output: unknown): string =>
  typeof output === 'string'
    ? output
    : listOf(output)
        .map((part) => textIn(part, 'text') ?? '')
        .join('')
