// Fields of requests. /openapi.json shows their descriptions, and so do the option types of the client, which `npm run docs` writes.

import { isJsonObject } from '@bridle/events/json'
import { jsonObject } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { unknownNameMessage } from './parse-input.ts'

/** A field that a caller may leave out. */
export const optionalField = <const S extends v.GenericSchema<unknown, unknown>>(description: string, schema: S) =>
  v.pipe(v.optional(schema), v.description(description))

export const optionalText = (description: string) => optionalField(description, v.string())

/** The query or body of a request, as a type that the client publishes. */
export const optionsType = <const E extends v.ObjectEntries>(name: string, description: string, entries: E) =>
  v.pipe(v.looseObject(entries), v.title(name), v.description(description))

/** An object with no other names than these. `strictObject` alone takes a list for an object without names. */
export const exactObject = <const E extends v.ObjectEntries>(entries: E) => {
  const schema = v.strictObject(entries, unknownNameMessage(Object.keys(entries)))
  const run: (typeof schema)['~run'] = (dataset, config) =>
    (isJsonObject(dataset.value) ? schema : (jsonObject as unknown as typeof schema))['~run'](dataset, config)
  return { ...schema, '~run': run } as typeof schema
}

export const actorFields = { actor: optionalText('The person’s name, where the credential names none.') }

/** Fields of every act of an operator. The audit log records them. */
export const reasonFields = { reason: optionalText('The person’s own words.'), ...actorFields }
