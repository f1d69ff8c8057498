// Custom events of agents. The log stores all of them as one type, so that new catalogue names cannot clash with old custom events.
import { isEventType } from '@bridle/events/catalogue'
import { CUSTOM_CHARS_MAX } from '@bridle/events/limits'

const grammar = /^[a-z][a-z0-9_.:-]{0,63}$/i

/** Names that surfaces produce although the catalogue lacks them. */
const RESERVED = new Set(['health_snapshot'])

/** Why the agent may not emit the event, or null. `data` must be JSON. */
export const customEventProblem = (name: unknown, data: unknown): string | null => {
  if (typeof name !== 'string' || !grammar.test(name))
    return `"${String(name).slice(0, 64)}" is not an event that an agent can emit: a name begins with a letter and has letters, digits and . _ : - only, at most 64.`
  if (isEventType(name) || RESERVED.has(name)) return `"${name}" is not an event that an agent can emit.`
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return `The payload of "${name}" is not an object.`
  if (JSON.stringify(data).length > CUSTOM_CHARS_MAX)
    return `The payload of "${name}" is larger than ${CUSTOM_CHARS_MAX} characters. Publish it as an artifact.`
  return null
}
