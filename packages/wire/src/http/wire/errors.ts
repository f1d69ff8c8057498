import * as v from 'valibot'
import { settledDetailsSchema } from './approvals.ts'
import * as f from './fields.ts'

const warnings = f.optional(
  f.list(v.string(), 'Fields and parameters of the request that are unknown and were ignored.'),
)

export const plainErrorSchema = f.answer('PlainError', 'The body of 400, 404, 405, 412, 415, 416 and 426.', {
  error: f.text('The text of the error; a 404 always has `Not found`.'),
  message: f.optional(f.text('The explanation of a 404: the thing that was not found, and where to look.')),
  field: f.optional(f.text('The path of the field of the body that is wrong.')),
  warnings,
})
export type PlainErrorBody = f.AnswerOf<typeof plainErrorSchema>

const { decision, decidedBy, decidedByClaimed, decidedAt } = settledDetailsSchema.entries

export const typedErrorSchema = f.answer('TypedError', 'The body of 401, 403, 409, 413, 429, 500 and 503.', {
  error: f.object({ type: f.text('The code to match.'), message: f.text('The text, for people.') }, 'The error.'),
  warnings,
  decision: f.optional(decision),
  decidedBy: f.optional(decidedBy),
  decidedByClaimed,
  decidedAt: f.optional(decidedAt),
})
export type TypedErrorBody = f.AnswerOf<typeof typedErrorSchema>
