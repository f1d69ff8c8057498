// Reads JSON of uncertain shape: a field that is missing or has another type is undefined.
import type { Json, JsonObject } from '../../../kernel/json.ts'
import { tryOr } from '../../try-or.ts'

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : [])
export const textIn = (value: unknown, name: string): string | undefined => {
  const found = objectOf(value)[name]
  return typeof found === 'string' ? found : undefined
}

export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined

export const withoutUndefined = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as never

export const parseLenientObject = (text: unknown): JsonObject | null => {
  const value: unknown = tryOr(null, () => JSON.parse(String(text)))
  return isObject(value) ? value : null
}

/** A tool's output is text, or parts of which some are text. */
export const outputText = (output: unknown): string =>
  typeof output === 'string'
    ? output
    : listOf(output)
        .map((part) => textIn(part, 'text') ?? '')
        .join('')
