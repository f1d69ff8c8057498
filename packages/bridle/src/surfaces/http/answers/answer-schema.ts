// The answers that a route declares: a sentence, a schema of a `wire/`, and an example.
import * as v from 'valibot'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import type { OptionalField } from '../wire/fields.ts'
import { jsonResponse } from './json-response.ts'

/** A schema for each field: an optional field has a schema that is optional, and no other field has one. */
export type AnswerEntries<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? v.OptionalSchema<v.GenericSchema<T[K]>, undefined> | OptionalField<v.GenericSchema<Exclude<T[K], undefined>>>
    : v.GenericSchema<T[K]>
}

/** The name is the schema's in /openapi.json. Fields beyond these are allowed: an answer may grow. */
export const answerSchema = <T>(name: string, entries: AnswerEntries<T>): v.GenericSchema<T> =>
  v.pipe(v.object(entries as unknown as v.ObjectEntries), v.title(name)) as unknown as v.GenericSchema<T>

/** The body of an answer, as a route declares it. */
export interface AnswerBody<T = unknown> {
  readonly contentType: string
  readonly schema: v.GenericSchema<T>
  readonly example: T
  /** In an event stream: the schema of the JSON in each `data:` field. */
  readonly data?: v.GenericSchema
}

/** An answer of a route: its meaning, and its body where it has one. */
export interface AnswerDescription {
  readonly description: string
  readonly body?: AnswerBody
  /** The body for a caller that accepts an event stream, where the answer has both. */
  readonly stream?: AnswerBody
}

export const jsonAnswer = <T>(
  description: string,
  schema: v.GenericSchema<T>,
  example: NoInfer<T>,
): AnswerDescription => ({ description, body: { contentType: 'application/json', schema, example } })

export const streamAnswer = (
  description: string,
  data: v.GenericSchema,
  frame: { readonly id?: string; readonly data: unknown },
): AnswerDescription => ({
  description,
  body: {
    contentType: 'text/event-stream',
    schema: text,
    example: `${frame.id === undefined ? '' : `id: ${frame.id}\n`}data: ${JSON.stringify(frame.data)}\n\n`,
    data,
  },
})

/** An answer that is a stream for callers that accept one. */
export const withStream = (answer: AnswerDescription, { body }: AnswerDescription): AnswerDescription => ({
  ...answer,
  ...(body && { stream: body }),
})

export const textAnswer = (description: string, contentType: string, example: string): AnswerDescription => ({
  description,
  body: { contentType, schema: text, example },
})

/** The handlers' way to answer: only with the type that its declaration names. */
export const json = <T = never>(answer: NoInfer<T>, init?: ResponseInit): Response =>
  jsonResponse(answer as object, init)

export const text = v.string()
export const flag = v.boolean()
export const count = v.pipe(v.number(), v.integer(), v.minValue(0))
export const nullableText = v.nullable(text)
/** ISO 8601, as `toISOString` writes it. */
export const time = v.pipe(text, v.metadata({ format: 'date-time' }))
export const nullableTime = v.nullable(time)
export const anyJson = v.custom<Json>((value) => value !== undefined, 'Expected JSON')
export const anyObject = v.pipe(
  v.custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'Expected an object',
  ),
  v.metadata({ type: 'object' }),
)
export const list = <T>(item: v.GenericSchema<T>): v.GenericSchema<readonly T[]> => v.array(item)
