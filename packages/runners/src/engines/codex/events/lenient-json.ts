// Reads JSON of uncertain shape: a field that is missing or has another type is undefined.
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'

export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})
export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : [])
export const textIn = (value: unknown, name: string): string | undefined => {
  const found = objectOf(value)[name]
  return typeof found === 'string' ? found : undefined
}

export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined

export const parseLenientObject = (text: unknown): JsonObject | null => {
  const value: unknown = tryOr(null, () => JSON.parse(String(text)))
  return isJsonObject(value) ? value : null
}

/** A tool's output is text, or parts of which some are text. */
export const outputText = (output: unknown): string =>
  typeof output === 'string'
    ? output
    : listOf(output)
        .map((part) => textIn(part, 'text') ?? '')
        .join('')
