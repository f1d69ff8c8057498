// Input of a request, checked against a schema at the edge.
import * as v from 'valibot'
import { badRequest, type Denial, extendDenial } from '../router/denial.ts'
import { issueField, issueText } from './issue-text.ts'

/** `part` says in the denial where the problem is. The denial names the first problem only, and the field of a body as a field of its own. */
export const parseInput = <O>(
  schema: v.GenericSchema<unknown, O>,
  value: unknown,
  part: 'query' | 'body',
): O | Denial => {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const denial = badRequest(`${part}: ${issueText(result.issues[0])}`)
  const field = part === 'body' ? issueField(result.issues[0]) : null
  return field === null ? denial : extendDenial(denial, { details: { field } })
}
