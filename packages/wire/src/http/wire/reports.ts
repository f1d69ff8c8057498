import type { StepSummary, UsageSummary } from '@bridle/kernel/views/row-detail'
import * as f from './fields.ts'
import { proposalSchema } from './memory.ts'

const costSoFar = f.nullable(f.amount('The cost in US dollars; null = unknown.'))

export const usageSummarySchema = f.kernelSchema<UsageSummary>('UsageSummary', 'The tokens and the cost.', {
  total_tokens: f.amount('The tokens of all model calls, including delegated work.'),
  cost_usd: costSoFar,
})

const stepSummarySchema = f.kernelSchema<StepSummary>('StepSummary', 'The step that the work has reached.', {
  index: f.count('The number of the step, from 1.'),
  total: f.nullable(f.count('The number of steps; null = unknown.')),
  title: f.text('The title of the step.'),
  status: f.text("The status, in the agent's own word."),
})

const usageSchema = f.answer('SessionUsage', 'The tokens and the cost of a session.', {
  input_tokens: f.amount('The tokens that the models of the session read.'),
  output_tokens: f.amount('The tokens that the models of the session wrote.'),
  total_tokens: f.amount('The tokens of all model calls, including delegated work.'),
  cost_usd: costSoFar,
  context_usage_pct: f.nullable(f.amount("The used part of the model's context in percent; null = unknown.")),
  model_calls: f.count('The number of usage reports: one per model call or, from some engines, per turn.'),
})
export type SessionUsage = f.AnswerOf<typeof usageSchema>

const stepSchema = f.answer('SessionStep', 'A step of the work, as it was last reported.', {
  step: f.text('The id of the step in its turn, or its place in the plan.'),
  title: f.text('The title of the step.'),
  status: f.text("The status, in the agent's own word; the status of the turn if the turn ended first."),
  started_at: f.nullableTime('The time at which the step began, in ISO 8601; null = unknown.'),
  ended_at: f.nullableTime('The time at which the step ended, in ISO 8601; null = not yet.'),
  event_id: f.text('The event that reported the status.'),
})
export type SessionStep = f.AnswerOf<typeof stepSchema>

const citationSchema = f.openAnswer('SessionCitation', "A source of an answer, with the agent's own fields.", {
  event_id: f.text('The event that named the source.'),
})
export type SessionCitation = f.AnswerOf<typeof citationSchema>

const noticeSchema = f.openAnswer('SessionNotice', 'The payload of an event; `isCut` = it is too large.', {
  event_id: f.text('The event.'),
  timestamp: f.time('The time of the event, in ISO 8601.'),
})
export type SessionNotice = f.AnswerOf<typeof noticeSchema>

export const subagentSchema = f.openAnswer('SubagentStatus', 'Delegated work; the engine adds fields of its own.', {
  agent_id: f.text("The subagent's id."),
  status: f.text("The status, in the engine's own word."),
  event_id: f.text('The event that reported the status.'),
  updated_at: f.time('The time of that event, in ISO 8601.'),
})
export type SubagentStatus = f.AnswerOf<typeof subagentSchema>

export const stepReached = f.nullable(
  f.reference(stepSummarySchema, 'The step that the work has reached; null = none is reported.'),
)

export const sessionReportsSchema = f.answer('SessionReports', 'The newest reports of an agent about its work.', {
  usage: f.reference(usageSchema, 'The tokens and the cost of the session so far.'),
  steps: f.list(stepSchema, 'The newest steps of the work, oldest first.'),
  step: stepReached,
  citations: f.list(citationSchema, 'The newest citations, oldest first.'),
  context_pack: f.nullable(
    f.reference(noticeSchema, 'The newest retrieval: `query`, `tokens`, `documents`, `left_out`; null = none.'),
  ),
  guardrail: f.nullable(
    f.reference(noticeSchema, 'The newest guardrail report: `trace_id`, `confidence`, `layers`; null = none.'),
  ),
  context_warnings: f.list(noticeSchema, 'The newest context warnings, oldest first: `message`, `kind`, `usage_pct`.'),
  compactions: f.list(noticeSchema, 'The newest compactions, oldest first: `summary`, and numbers of the engine.'),
  instructions: f.nullable(
    f.reference(
      noticeSchema,
      'What the engine was given of the repository in the work folder: `files`, `left_out`, `ignored`; null = nothing.',
    ),
  ),
  memory_proposals: f.list(proposalSchema, 'The proposals that wait for a decision, newest first.'),
})
export type SessionReports = f.AnswerOf<typeof sessionReportsSchema>
