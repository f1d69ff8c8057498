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

/** Any JSON; absent is null. The request was already parsed as JSON, so there is nothing left to validate. */
export const anyJson = v.optional(v.unknown(), null) as unknown as OptionalField<v.GenericSchema<Json | undefined>>

export const jsonObject = v.pipe(
  v.custom<JsonObject>(isJsonObject, 'Expected an object'),
  v.metadata({ type: 'object' }),
)

/** Answers by question id. The session validates them against its questions. */
export const questionAnswers = v.pipe(
  v.custom<QuestionAnswers>(isJsonObject, 'Expected an object'),
  v.metadata({
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  }),
)

/** Keeps unknown fields but leaves them out of the type. */
export const messageObject = <const E extends v.ObjectEntries>(entries: E) =>
  v.looseObject(entries) as unknown as v.ObjectSchema<E, undefined>

export const seenMessageSchema = v.object({
  type: v.literal('seen'),
  seq: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
})
