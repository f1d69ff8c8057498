// A directive that breaks the protocol is kept with the name of its first invalid field, and never affects its neighbours.

import { isJsonObject, type JsonObject } from '@bridle/events/json'
import { wrongDirectiveField } from '@bridle/kernel/directive'
import type { ActionDirective } from '@bridle/wire/openharness/wire'

export type CheckedDirective =
  | { readonly directive: ActionDirective; readonly invalid: null }
  | { readonly directive: JsonObject; readonly invalid: string }

export const readDirective = (value: unknown): CheckedDirective => {
  if (!isJsonObject(value)) return { directive: {}, invalid: 'action_directives' }
  const invalid = wrongDirectiveField(value)
  return invalid === null ? { directive: value as unknown as ActionDirective, invalid } : { directive: value, invalid }
}

/** The protocol's two portable text fields, or the text of a `render_message` whose other fields are invalid. */
export const fallbackText = ({
  action_type,
  payload,
}: {
  readonly action_type?: unknown
  readonly payload?: unknown
}) => {
  if (!isJsonObject(payload)) return null
  const names =
    action_type === 'render_message' ? ['fallback_message', 'message', 'text'] : ['fallback_message', 'message']
  const texts = names.map((name) => (Object.hasOwn(payload, name) ? payload[name] : undefined))
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null
}
