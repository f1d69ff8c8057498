import { tenantChangeSchema } from '@bridle/wire/changes/wire/changes'
import { streamAnswer } from '../http/answers/answer-schema.ts'

export const changesStreamAnswer = streamAnswer(
  'An event stream that begins with `ready`. It has no ids: load the lists again after each `ready`.',
  tenantChangeSchema,
  { data: { type: 'ready' } },
)
