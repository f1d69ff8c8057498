// The answers that a route declares: a sentence, a schema of a `wire/`, and an example.
import * as v from 'valibot'
import { jsonResponse } from './json-response.ts'

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
    schema: v.string(),
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
  body: { contentType, schema: v.string(), example },
})

/** The handlers' way to answer: only with the type that its declaration names. */
export const json = <T = never>(answer: NoInfer<T>, init?: ResponseInit): Response =>
  jsonResponse(answer as object, init)
