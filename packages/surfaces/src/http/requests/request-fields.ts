// Descriptions appear in /openapi.json and in the client's option types, which `npm run docs` generates.

import { isJsonObject } from '@bridle/events/json'
import { jsonObject } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { unknownNameMessage } from './parse-input.ts'

export const optionalField = <const S extends v.GenericSchema<unknown, unknown>>(description: string, schema: S) =>
  v.pipe(v.optional(schema), v.description(description))

export const optionalText = (description: string) => optionalField(description, v.string())

/** Named, so that the client publishes it as a type. */
export const optionsType = <const E extends v.ObjectEntries>(name: string, description: string, entries: E) =>
  v.pipe(v.looseObject(entries), v.title(name), v.description(description))

/** Refuses other names. `strictObject` alone would accept an array as an object without fields. */
export const exactObject = <const E extends v.ObjectEntries>(entries: E) => {
  const schema = v.strictObject(entries, unknownNameMessage(Object.keys(entries)))
  const run: (typeof schema)['~run'] = (dataset, config) =>
    (isJsonObject(dataset.value) ? schema : (jsonObject as unknown as typeof schema))['~run'](dataset, config)
  return { ...schema, '~run': run } as typeof schema
}

export const actorFields = { actor: optionalText('The person’s name, where the credential names none.') }

/** The audit log records these for every operator action. */
export const reasonFields = { reason: optionalText('The person’s own words.'), ...actorFields }
