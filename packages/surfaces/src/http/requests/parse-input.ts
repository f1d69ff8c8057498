import { nearestName } from '@bridle/kernel/text/nearest-name'
import * as v from 'valibot'
import { badRequest, type Denial, extendDenial } from '../denials/denial.ts'
import { DENIAL_CHARS_MAX } from '../limits.ts'
import { parseJson } from './json-text.ts'

/** Reports the first problem only, and the field of a body separately. `part` says where the problem is. */
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

export const parseMessage = <O>(
  schema: v.GenericSchema<unknown, O>,
  text: string,
): { readonly message: O } | { readonly problem: string } => {
  const parsed = parseJson(text, 'message')
  if ('problem' in parsed) return parsed
  const { success, output, issues } = v.safeParse(schema, parsed.value)
  if (success) return { message: output }
  const [issue] = issues
  const at = v.getDotPath(issue)
  return { problem: at === null ? 'The message is not a JSON object.' : `${at}: ${issue.message}` }
}

/** The parser's own messages refer to its types. */
const issueText = (issue: v.BaseIssue<unknown>): string =>
  `${v.getDotPath(issue) ?? 'value'}: ${isMissing(issue) ? 'It is missing' : (noneOfText(issue) ?? issue.message)}`

/** Such as `policy.health.max_cost_usd`. Null if no field is at fault, or its name is too long. */
const issueField = (issue: v.BaseIssue<unknown>): string | null => {
  const path = v.getDotPath(issue)
  return path === null || path.length > DENIAL_CHARS_MAX ? null : path
}

const isMissing = ({ kind, received, message }: v.BaseIssue<unknown>): boolean =>
  kind === 'schema' && received === 'undefined' && message.startsWith('Invalid key')

/** For a value outside of a closed set; null if another message applies. */
const noneOfText = ({ type, expected, received, message }: v.BaseIssue<unknown>): string | null =>
  type === 'picklist' && expected !== null && message.startsWith('Invalid type')
    ? `${received} is none of ${expected.replaceAll(/[()"]/g, '').replaceAll(' | ', ', ')}`
    : null

/** Suggests the nearest allowed name. */
export const unknownNameMessage =
  (known: readonly string[]) =>
  ({ expected, received, message }: v.BaseIssue<unknown>): string => {
    if (expected !== 'never') return message
    const near = nearestName(received.replaceAll('"', ''), known)
    return `It is not known here${near === null ? '' : `. Did you mean "${near}"?`}`
  }
