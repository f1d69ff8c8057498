// The events of a realtime provider. Every field is checked where it is read: the address may be anybody's.
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import { PROVIDER_EVENT_CHARS_MAX } from '../limits.ts'

/** An event of a provider: its type is checked, and nothing else. */
export interface RealtimeEvent extends JsonObject {
  readonly type: string
}

/** Null: the text is no event. */
export const parseRealtimeEvent = (text: string): RealtimeEvent | null => {
  if (text.length > PROVIDER_EVENT_CHARS_MAX) return null
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && typeof value.type === 'string' ? (value as RealtimeEvent) : null
  } catch {
    return null
  }
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** The response that an event is about. */
export const responseIdOf = ({ response_id, response }: RealtimeEvent): string =>
  textOf(response_id) || textOf(objectOf(response).id)

export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
