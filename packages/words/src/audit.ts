// The audit trail of a session: which events are decisions, with an action and a summary for each.
import type { Payloads } from '@bridle/events/schemas'
import { isDefaultAnswer } from './approvals.ts'
import { budgetNameText, crossedText, policyText } from './budgets.ts'
import { answerText, isQuestion, questionText } from './questions.ts'

/** Keeps an audit line to one screen line or two. The log has the full text. */
const TEXT_CHARS_MAX = 200

type AuditLine = readonly [action: string, ...summary: (string | null | undefined)[]]

/** Visible events only, because clients look up the event behind a row. */
const lines: { readonly [T in keyof Payloads]?: (payload: Payloads[T]) => AuditLine } = {
  session_paused: ({ reason }) => ['paused', reason],
  session_resumed: ({ reason }) => ['resumed', reason],
  session_archived: ({ reason }) => ['archived', reason],
  session_unarchived: ({ reason }) => ['unarchived', reason],
  session_renamed: ({ title }) => ['renamed', title],
  cancel_requested: ({ reason }) => ['cancelled', reason],
  policy_set: ({ reason, policy }) => ['policy_set', reason, policyText(policy)],
  signal_received: ({ name }) => ['signalled', name],
  memory_decided: ({ decision, key, reason }) => [`memory_${decision}`, key, reason],
  branched: ({ reason, parent, source_event_id: event }) => ['branched', reason, `from ${parent.id} at ${event}`],
  session_imported: ({ source }) => ['imported', `from ${source.id}`],
  approval_required: (payload) =>
    isQuestion(payload)
      ? ['question_asked', shortText(questionText(payload))]
      : ['approval_requested', `${payload.tool_name}: ${payload.reason}`],
  approval_applied: (payload) => {
    const { decision = 'approved', request_id: id, reason } = payload
    if (!isQuestion(payload)) return [`approval_${decision}`, id, reason]
    return [
      isDefaultAnswer(payload) ? 'question_expired' : questionActions[decision],
      shortText(answerText(payload)),
      reason,
    ]
  },
  budget_crossed: ({ budget, limit, value }) => ['budget_crossed', crossedText(budget, limit, value)],
  budget_raised: ({ budgets }) => ['budget_raised', budgets.map(budgetNameText).join(', ')],
  retry_scheduled: ({ attempt, reason }) => ['retry_scheduled', `attempt ${attempt}: ${reason}`],
  error: ({ message }) => ['failed', message],
}

const shortText = (text: string): string =>
  text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX).toWellFormed()}…` : text

const questionActions: { readonly [D in NonNullable<Payloads['approval_applied']['decision']>]: string } = {
  approved: 'question_answered',
  denied: 'question_declined',
  expired: 'question_expired',
  cancelled: 'question_cancelled',
  superseded: 'question_withdrawn',
}

export const AUDITED_TYPES = Object.keys(lines) as readonly (keyof typeof lines)[]

export const auditWords = (type: keyof Payloads, payload: unknown) => {
  const line = Object.hasOwn(lines, type) ? (lines[type] as (payload: unknown) => AuditLine)(payload) : null
  if (!line) return null
  const [action, ...parts] = line
  return { action, summary: parts.filter(Boolean).join(': ') }
}
