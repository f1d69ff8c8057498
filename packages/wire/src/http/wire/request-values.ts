// Values in requests, and in the messages of clients on sockets.

import type { QuestionAnswers } from '@bridle/events/answers'
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import * as v from 'valibot'
import type { OptionalField } from './fields.ts'

export const requiredId = v.pipe(
  v.string(),
  v.check((id) => isId(id), 'Expected an id'),
  v.metadata({ minLength: 1, maxLength: 128 }),
)
export const optionalId = v.optional(requiredId)

/** Any JSON, null included; absent = null. The request's text was parsed as JSON, so nothing is left to check. */
export const anyJson = v.optional(v.unknown(), null) as unknown as OptionalField<v.GenericSchema<Json | undefined>>

export const jsonObject = v.pipe(
  v.custom<JsonObject>(isJsonObject, 'Expected an object'),
  v.metadata({ type: 'object' }),
)

/** Answers by the id of their question. The session checks them against the questions, whatever they are. */
export const questionAnswers = v.pipe(
  v.custom<QuestionAnswers>(isJsonObject, 'Expected an object'),
  v.metadata({
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  }),
)

/** An object whose further fields stay in it, and have no part in its type. */
export const messageObject = <const E extends v.ObjectEntries>(entries: E) =>
  v.looseObject(entries) as unknown as v.ObjectSchema<E, undefined>

/** The answer to a mark: the client has everything up to `seq`. */
export const seenMessageSchema = v.object({
  type: v.literal('seen'),
  seq: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
})
