import type { HealthSummary, StepSummary, UsageSummary } from '@bridle/kernel/views/row-detail'
import * as f from './fields.ts'
import { healthSummarySchema } from './health.ts'
import { stepReached, usageSummarySchema } from './reports.ts'
import { sessionFields } from './session-fields.ts'

export type { HealthSummary, StepSummary, UsageSummary }

export const sessionRowSchema = f.answer('SessionRow', 'A session in a list.', {
  ...sessionFields,
  pendingApprovals: f.count('The number of approvals that wait.'),
  childApprovals: f.count('The number of approvals that wait in sessions below this one.'),
  health: f.nullable(f.reference(healthSummarySchema, 'The health in short; null = the session has not reported it.')),
  usage: f.nullable(
    f.reference(usageSummarySchema, 'The tokens and the cost so far; null = an older version wrote the row.'),
  ),
  step: stepReached,
  messages: f.count('The number of messages.'),
})
export type SessionRow = f.AnswerOf<typeof sessionRowSchema>

export const sessionPageSchema = f.answer('SessionPage', 'A page of sessions.', {
  sessions: f.list(sessionRowSchema, 'The sessions of this page.'),
  next: f.optional(f.text('Pass it as `cursor` for the next page.')),
})
export type SessionPage = f.AnswerOf<typeof sessionPageSchema>
