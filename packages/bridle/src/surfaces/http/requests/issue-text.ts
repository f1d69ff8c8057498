// The problem with a field of a request, in our words: the parser's messages speak of its types.
import { type BaseIssue, getDotPath } from 'valibot'
import { nearestName } from '../../../kernel/text/nearest-name.ts'
import { DENIAL_CHARS_MAX } from '../limits.ts'

export const issueText = (issue: BaseIssue<unknown>): string =>
  `${getDotPath(issue) ?? 'value'}: ${isMissing(issue) ? 'It is missing' : (noneOfText(issue) ?? issue.message)}`

/** The path of the field, such as `policy.health.max_cost_usd`; null where the problem is with no field, or its name has no end. */
export const issueField = (issue: BaseIssue<unknown>): string | null => {
  const path = getDotPath(issue)
  return path === null || path.length > DENIAL_CHARS_MAX ? null : path
}

const isMissing = ({ kind, received, message }: BaseIssue<unknown>): boolean =>
  kind === 'schema' && received === 'undefined' && message.startsWith('Invalid key')

/** For a word that is none of the allowed ones; null = the problem is another one, or its schema has words for it. */
const noneOfText = ({ type, expected, received, message }: BaseIssue<unknown>): string | null =>
  type === 'picklist' && expected !== null && message.startsWith('Invalid type')
    ? `${received} is none of ${expected.replaceAll(/[()"]/g, '').replaceAll(' | ', ', ')}`
    : null

/** The message for a strict object: it names the nearest of the allowed names. */
export const unknownNameMessage =
  (known: readonly string[]) =>
  ({ expected, received, message }: BaseIssue<unknown>): string => {
    if (expected !== 'never') return message
    const near = nearestName(received.replaceAll('"', ''), known)
    return `It is not known here${near === null ? '' : `. Did you mean "${near}"?`}`
  }
