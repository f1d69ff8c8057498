// The reports of an agent about its work: usage, steps, sources, warnings, and the places to resume from.
import * as v from 'valibot'
import { proposalSchema } from '../wire/memory.ts'
import type {
  ResumePoint,
  SessionCitation,
  SessionNotice,
  SessionReports,
  SessionStep,
  SessionUsage,
  StepSummary,
  UsageSummary,
} from '../wire.ts'
import {
  type AnswerEntries,
  amount,
  answerSchema,
  anyJson,
  count,
  list,
  nullableTime,
  text,
  time,
} from './answer-schema.ts'

export const usageSummarySchema = answerSchema<UsageSummary>('UsageSummary', {
  total_tokens: amount,
  cost_usd: v.nullable(amount),
})

export const stepSummarySchema = answerSchema<StepSummary>('StepSummary', {
  index: count,
  total: v.nullable(count),
  title: text,
  status: text,
})

export const resumePointSchema = answerSchema<ResumePoint>('ResumePoint', {
  kind: v.picklist(['checkpoint', 'approval', 'turn']),
  event_id: text,
  resume_cursor: text,
  summary: text,
  timestamp: time,
})

/** The agent's own fields stand beside these. */
const noticeSchema = v.pipe(
  v.objectWithRest({ event_id: text, timestamp: time }, anyJson),
  v.title('SessionNotice'),
) as unknown as v.GenericSchema<SessionNotice>

const citationSchema = v.pipe(
  v.objectWithRest({ event_id: text }, anyJson),
  v.title('SessionCitation'),
) as unknown as v.GenericSchema<SessionCitation>

export const sessionReportsEntries: AnswerEntries<SessionReports> = {
  usage: answerSchema<SessionUsage>('SessionUsage', {
    input_tokens: amount,
    output_tokens: amount,
    total_tokens: amount,
    cost_usd: v.nullable(amount),
    context_usage_pct: v.nullable(amount),
    model_calls: count,
  }),
  steps: list(
    answerSchema<SessionStep>('SessionStep', {
      step: text,
      title: text,
      status: text,
      started_at: nullableTime,
      ended_at: nullableTime,
      event_id: text,
    }),
  ),
  step: v.nullable(stepSummarySchema),
  citations: list(citationSchema),
  context_pack: v.nullable(noticeSchema),
  guardrail: v.nullable(noticeSchema),
  context_warnings: list(noticeSchema),
  compactions: list(noticeSchema),
  memory_proposals: list(proposalSchema),
}
