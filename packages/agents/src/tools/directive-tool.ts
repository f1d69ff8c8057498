// The parts of a tool whose call becomes a directive: its fields beside the payload, and the schema of the payload.

import type { JsonObject } from '@bridle/events/json'
import { type Directive, fieldsProblem } from '@bridle/kernel/directive'
import { isCoreType, payloadSchema, wrongPayloadField } from '@bridle/kernel/directive-payloads'
import { type StandardSchema, writtenSchema } from '../schemas/standard-schema.ts'

/** Throws where the fields are of no directive. */
export const directiveFields = (given: string | Omit<Directive, 'payload'>): Omit<Directive, 'payload'> => {
  const { payload: _payload, ...fields } = (typeof given === 'string' ? { action_type: given } : given) as Directive
  // The payload comes with each call.
  const problem = fieldsProblem(fields)
  if (problem !== null) throw new TypeError(`tool(): directive.${problem}`)
  return Object.freeze(fields)
}

/** The schema of a core type's payload; null = the type is not ours, and takes any object. */
export const payloadInput = (type: string): StandardSchema<object, unknown> | null => {
  if (!isCoreType(type)) return null
  return writtenSchema<object, unknown>(
    () => payloadSchema(type),
    (value) => {
      const field = wrongPayloadField(type, value as JsonObject)
      return field === null ? { value } : { issues: [{ message: 'It is missing, or does not fit.', path: [field] }] }
    },
  )
}
