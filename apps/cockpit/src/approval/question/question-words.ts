// A question in a line, for lists, notes and titles.
import type { SettledApprovalDetails } from 'bridle/client'
import { formFields } from 'bridle/client'
import { plural, questionText, questionTitle } from 'bridle/words'
import type { CardApproval } from '../card-approval.ts'

type Asked = Pick<CardApproval, 'questions' | 'schema' | 'reason'>

/** `Question`, `3 questions`, `Form`. */
export const askedTitle = (asked: Asked): string => questionTitle({ ...asked })

/** The questions; for a form, the reason why it asks. */
export const askedText = (asked: Asked): string => questionText({ ...asked })

/** `question, 4 options`; `2 questions`; `form, 4 fields`. A list has no room for long ones. */
export const askedSize = ({ questions, schema }: Asked): string => {
  if (schema) return `form, ${plural(formFields(schema).length, 'field')}`
  const [first, ...others] = questions ?? []
  if (others.length > 0) return plural(others.length + 1, 'question')
  const options = first?.options?.length ?? 0
  return options === 0 ? 'question' : `question, ${plural(options, 'option')}`
}

/** Whether the question expired and its default applies: it was then settled at its expiry, without a person. */
export const isDefaultApplied = (
  { kind, expiresAt }: Pick<CardApproval, 'kind' | 'expiresAt'>,
  { decision, decidedBy, decidedAt }: Pick<SettledApprovalDetails, 'decision' | 'decidedBy' | 'decidedAt'>,
): boolean =>
  kind === 'question' &&
  decision === 'approved' &&
  decidedBy === null &&
  expiresAt != null &&
  Date.parse(decidedAt) >= Date.parse(expiresAt)
