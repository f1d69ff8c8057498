import * as v from 'valibot'
import { jsonResponse } from './json-response.ts'

export interface AnswerBody<T = unknown> {
  readonly contentType: string
  readonly schema: v.GenericSchema<T>
  readonly example: T
  readonly data?: v.GenericSchema
}

export interface AnswerDescription {
  readonly description: string
  readonly body?: AnswerBody
  /** Alternative body for callers that accept an event stream. */
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

export const withStream = (answer: AnswerDescription, { body }: AnswerDescription): AnswerDescription => ({
  ...answer,
  ...(body && { stream: body }),
})

export const textAnswer = (description: string, contentType: string, example: string): AnswerDescription => ({
  description,
  body: { contentType, schema: v.string(), example },
})

/** Requires an explicit type argument, so that handlers only return what their route declares. */
export const json = <T = never>(answer: NoInfer<T>, init?: ResponseInit): Response =>
  jsonResponse(answer as object, init)
