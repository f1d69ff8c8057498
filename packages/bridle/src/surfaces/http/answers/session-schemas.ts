// Sessions: a row of the list, the card, and everything.
import * as v from 'valibot'
import type { EngineInfo } from '../../../kernel/engine-info.ts'
import type { ImportedPrompt } from '../../../kernel/host/import-confirmation.ts'
import { APPROVAL_KINDS, SESSION_STATUSES, TOOL_EFFECTS } from '../../../kernel/schemas.ts'
import type {
  ArtifactAudio,
  ArtifactSummary,
  CancelReceipt,
  CheckpointSummary,
  ResumeContext,
  SessionApproval,
  SessionArtifacts,
  SessionCard,
  SessionDetail,
  SessionMessages,
  SessionPage,
  SessionRow,
  SignalReceipt,
  SubagentStatus,
} from '../wire.ts'
import {
  type AnswerEntries,
  answerSchema,
  anyJson,
  anyObject,
  count,
  dictionary,
  flag,
  list,
  nullableText,
  nullableTime,
  text,
  time,
} from './answer-schema.ts'
import { channelSchema } from './channel-schemas.ts'
import { healthSnapshotSchema, healthSummarySchema } from './health-schemas.ts'
import { messageSchema } from './message-schemas.ts'
import { resumePointSchema, sessionReportsEntries, stepSummarySchema, usageSummarySchema } from './report-schemas.ts'

const sessionKind = v.picklist(['chat', 'background'])
const runnerKind = v.picklist(['in_process', 'bridge'])

export const engineEntries: AnswerEntries<EngineInfo> = {
  name: text,
  version: text,
  events: dictionary(v.picklist(['native', 'derived', 'none'])) as unknown as v.GenericSchema<EngineInfo['events']>,
  features: answerSchema<EngineInfo['features']>('EngineFeatures', {
    resume: flag,
    fork: flag,
    steer: flag,
    interrupt: flag,
    editedInput: flag,
    intentFirst: flag,
    cost: flag,
  }),
  notes: list(text),
}

export const engineInfoSchema = answerSchema<EngineInfo>('EngineInfo', engineEntries)

/** The declared effect of a call that waits for an approval, and how much is at stake. */
export const approvalEffect = v.nullable(v.picklist(TOOL_EFFECTS))
export const approvalRisk = v.nullable(v.picklist(['low', 'caution', 'danger']))

export const sessionRowSchema = answerSchema<SessionRow>('SessionRow', {
  id: text,
  sessionId: text,
  session_id: text,
  agent: text,
  kind: sessionKind,
  status: v.picklist(SESSION_STATUSES),
  title: text,
  createdAt: time,
  updatedAt: time,
  created_at: time,
  updated_at: time,
  lastEventId: text,
  parent_session_id: nullableText,
  pendingApprovals: count,
  attempt_count: count,
  max_retries: count,
  expires_at: nullableTime,
  ended_at: nullableTime,
  last_heartbeat_at: nullableTime,
  branch_source_event_id: nullableText,
  branch_resume_cursor: nullableText,
  engine: text,
  runner_kind: runnerKind,
  approval_request_id: nullableText,
  last_error: nullableText,
  health: v.nullable(healthSummarySchema),
  usage: v.nullable(usageSummarySchema),
  step: v.nullable(stepSummarySchema),
  model: nullableText,
  retry_at: nullableTime,
  messages: count,
  archived: flag,
})

export const sessionPageSchema = answerSchema<SessionPage>('SessionPage', {
  sessions: list(sessionRowSchema),
  next: v.optional(text),
})

export const sessionCardEntries: AnswerEntries<SessionCard> = {
  id: text,
  sessionId: text,
  session_id: text,
  agent: text,
  agent_profile: text,
  kind: sessionKind,
  status: v.picklist(SESSION_STATUSES),
  title: text,
  createdAt: time,
  updatedAt: time,
  created_at: time,
  updated_at: time,
  lastEventId: text,
  queued: count,
  runId: nullableText,
  lastError: nullableText,
  last_error: nullableText,
  provider: nullableText,
  model: nullableText,
  permission_mode: text,
  approval_mode: text,
  think_level: nullableText,
  voice: v.optional(v.object({ keep_audio: v.literal(true) })),
  policy_path: text,
  sandbox_mode: nullableText,
  sandbox_isolation: nullableText,
  workspace_id: nullableText,
  workspace_mode: v.optional(text),
  workspace_source: v.optional(text),
  workspace_path: v.optional(text),
  workspace_kind: v.optional(v.picklist(['git_worktree', 'copy', 'empty', 'in_place'])),
  workspace_branch: v.optional(nullableText),
  task_graph_id: nullableText,
  engine: text,
  runner_kind: runnerKind,
  approval_request_id: nullableText,
  process_id: nullableText,
  attempt_count: count,
  max_retries: count,
  expires_at: nullableTime,
  ended_at: nullableTime,
  last_heartbeat_at: nullableTime,
  parent_session_id: nullableText,
  branch_source_event_id: nullableText,
  branch_resume_cursor: nullableText,
  retry_at: nullableTime,
  resume_context: v.nullable(
    answerSchema<ResumeContext>('ResumeContext', { kind: text, event_id: text, resume_cursor: text }),
  ),
  capabilities: v.optional(engineInfoSchema),
  approvals: list(
    answerSchema<SessionApproval>('SessionApproval', {
      id: text,
      kind: v.picklist(APPROVAL_KINDS),
      toolName: text,
      toolCallId: text,
      reason: text,
      args: anyObject,
      expiresAt: nullableTime,
      effect: approvalEffect,
      risk: approvalRisk,
    }),
  ),
  archived: flag,
  health: healthSnapshotSchema,
}

export const sessionCardSchema = answerSchema<SessionCard>('SessionCard', sessionCardEntries)

export const cancelReceiptSchema = answerSchema<CancelReceipt>('CancelReceipt', {
  ...sessionCardEntries,
  cancelled: flag,
})

export const signalReceiptSchema = answerSchema<SignalReceipt>('SignalReceipt', { ...sessionCardEntries, runId: text })

export const artifactEntries: AnswerEntries<ArtifactSummary> = {
  id: text,
  artifact_id: text,
  name: text,
  kind: text,
  artifact_type: text,
  contentType: text,
  content_type: text,
  size: count,
  event_id: text,
  createdAt: time,
  created_at: time,
  audio: v.optional(
    answerSchema<ArtifactAudio>('ArtifactAudio', {
      role: v.picklist(['user', 'assistant']),
      run_id: text,
      message_id: text,
      ms: count,
      cut: v.optional(v.literal(true)),
    }),
  ),
}
export const artifactSchema = answerSchema<ArtifactSummary>('ArtifactSummary', artifactEntries)

export const sessionMessagesEntries: AnswerEntries<SessionMessages> = {
  messages: list(messageSchema),
  earlierMessages: v.optional(count),
}

export const sessionArtifactsEntries: AnswerEntries<SessionArtifacts> = {
  artifacts: list(artifactSchema),
  earlierArtifacts: v.optional(count),
}

/** The engine's own fields stand beside these. */
const subagentSchema = v.pipe(
  v.objectWithRest({ agent_id: text, status: text, event_id: text, updated_at: time }, anyJson),
  v.title('SubagentStatus'),
) as unknown as v.GenericSchema<SubagentStatus>

export const sessionDetailEntries: AnswerEntries<SessionDetail> = {
  ...sessionCardEntries,
  ...sessionMessagesEntries,
  ...sessionArtifactsEntries,
  ...sessionReportsEntries,
  checkpoints: list(
    answerSchema<CheckpointSummary>('CheckpointSummary', {
      session_id: text,
      sequence: count,
      checkpoint_type: text,
      status: text,
      summary_text: text,
      resume_cursor: nullableText,
      event_id: text,
      timestamp: time,
    }),
  ),
  subagents: list(subagentSchema),
  resume_points: list(resumePointSchema),
  channel: v.optional(channelSchema),
  imported_prompts: v.optional(
    list(answerSchema<ImportedPrompt>('ImportedPrompt', { message_id: text, text, input: v.optional(anyJson) })),
  ),
  prompts_digest: v.optional(text),
}

export const sessionDetailSchema = answerSchema<SessionDetail>('SessionDetail', sessionDetailEntries)
