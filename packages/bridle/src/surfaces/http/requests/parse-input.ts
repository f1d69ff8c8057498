// Input of a request, checked against a schema at the edge.
import * as v from 'valibot'
import { badRequest, type Denial } from '../router/denial.ts'
import { issueText } from './issue-text.ts'

/** `part` says in the denial where the problem is. The denial names the first problem only. */
export const parseInput = <O>(
  schema: v.GenericSchema<unknown, O>,
  value: unknown,
  part: 'query' | 'body',
): O | Denial => {
  const result = v.safeParse(schema, value)
  return result.success ? result.output : badRequest(`${part}: ${issueText(result.issues[0])}`)
}
