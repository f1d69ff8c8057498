// An agent's own events: any name that is not one of ours, with an object of a bounded size. In the log they are one type, so
// that a name we use later never meets an old event of that name; on the frontend's stream they have the agent's name.
import { isEventType } from './catalogue.ts'
import { CUSTOM_CHARS_MAX } from './limits.ts'

const grammar = /^[a-z][a-z0-9_.:-]{0,63}$/i

/** Made by a surface, and in no catalogue. */
const RESERVED = new Set(['health_snapshot'])

/** Why an agent may not say it; null = it may. `data` is JSON. */
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
