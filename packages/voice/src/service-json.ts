// Messages of services as JSON. Every field is checked where it is read: the address may be anybody's.
import { isJsonObject, type JsonObject } from '@bridle/events/json'

/** Null: the text is not a JSON object. */
export const parseObject = (text: string): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
