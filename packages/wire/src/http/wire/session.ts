import type { ImportedPrompt } from '@bridle/kernel/host/import-confirmation'
import { sessionApprovalSchema } from './approvals.ts'
import { artifactSchema } from './artifacts.ts'
import { channelSchema } from './channel.ts'
import { engineInfoSchema } from './engines.ts'
import * as f from './fields.ts'
import { healthSnapshotSchema } from './health.ts'
import { messageSchema } from './messages.ts'
import { sessionReportsSchema, subagentSchema } from './reports.ts'
import { sessionFields } from './session-fields.ts'
import { WORKSPACE_KINDS, WORKSPACE_MODES } from './workspaces.ts'

export type { ImportedPrompt }

const resumeContextSchema = f.answer('ResumeContext', 'A place to resume or branch from.', {
  kind: f.oneOf(['checkpoint', 'approval', 'turn'], 'The kind of the place.'),
  event_id: f.text('The event to branch from.'),
  resume_cursor: f.text('The place as a cursor.'),
})
export type ResumeContext = f.AnswerOf<typeof resumeContextSchema>

export const sessionCardSchema = f.answer('SessionCard', 'The state of a session without its messages.', {
  ...sessionFields,
  agent_profile: f.text('The same as `agent`.'),
  queued: f.count('The number of prompts that wait for their turn.'),
  runId: f.nullableText('The run in progress; null = none.'),
  lastError: f.nullableText('The same as `last_error`.'),
  provider: f.nullableText('The model provider of the last run; null = unknown.'),
  permission_mode: f.text('The permission mode.'),
  approval_mode: f.text('The approval mode.'),
  think_level: f.nullableText('The reasoning effort of the model; null = its default.'),
  voice: f.optional(
    f.object(
      { keep_audio: f.always(true, 'The session keeps audio.') },
      'The voice settings; absent = the session keeps no audio.',
    ),
  ),
  repository: f.optional(
    f.oneOf(['none'], 'Engines are given no instructions of the repository; absent = as the operator says.'),
  ),
  policy_path: f.text('The order in which policies decide about a tool call.'),
  sandbox_mode: f.nullableText('The isolation that was asked for; null = no sandbox.'),
  sandbox_isolation: f.nullableText('The isolation that the sandbox has; null = no sandbox.'),
  workspace_id: f.nullableText('The id of the workspace; null = none.'),
  workspace_mode: f.optional(f.oneOf(WORKSPACE_MODES, 'The access to the workspace.')),
  workspace_source: f.optional(f.text('The source of the workspace.')),
  workspace_path: f.optional(f.text('The path of the workspace.')),
  workspace_kind: f.optional(f.oneOf(WORKSPACE_KINDS, 'How the workspace began.')),
  workspace_branch: f.optional(f.nullableText('The branch of a worktree; null = the workspace is not a worktree.')),
  task_graph_id: f.nullableText('The id of the task graph; null = none.'),
  process_id: f.nullableText('The sandbox of the run in progress; null = none.'),
  resume_context: f.nullable(
    f.reference(resumeContextSchema, 'The newest place to resume or branch from; null = none.'),
  ),
  capabilities: f.optional(f.reference(engineInfoSchema, 'Events and features of the engine; absent = all native.')),
  approvals: f.list(sessionApprovalSchema, 'The approvals that wait.'),
  health: f.reference(healthSnapshotSchema, 'The health of the session.'),
})
export type SessionCard = f.AnswerOf<typeof sessionCardSchema>

export const sessionMessagesSchema = f.answer('SessionMessages', 'The newest messages of a session.', {
  messages: f.list(messageSchema, 'The messages, oldest first.'),
  earlierMessages: f.optional(f.count('The number of messages before these.')),
})
export type SessionMessages = f.AnswerOf<typeof sessionMessagesSchema>

export const sessionArtifactsSchema = f.answer('SessionArtifacts', 'The newest artifacts of a session.', {
  artifacts: f.list(artifactSchema, 'The artifacts.'),
  earlierArtifacts: f.optional(f.count('The number of artifacts before these.')),
})
export type SessionArtifacts = f.AnswerOf<typeof sessionArtifactsSchema>

const resumePointSchema = f.answer('ResumePoint', 'A position that a session can be resumed or branched from.', {
  kind: f.oneOf(['checkpoint', 'approval', 'turn'], 'The kind of the point.'),
  event_id: f.text('The event to branch from.'),
  resume_cursor: f.text('The point as a cursor, for a background session that resumes.'),
  summary: f.text('A line for people.'),
  timestamp: f.time('The time, in ISO 8601.'),
})
export type ResumePoint = f.AnswerOf<typeof resumePointSchema>

const checkpointSchema = f.answer('CheckpointSummary', 'A checkpoint of a session.', {
  session_id: f.text('The id of the session.'),
  sequence: f.count('The number of the checkpoint in its session, from 1.'),
  checkpoint_type: f.text('The type: `step`, `turn`, `resume_seed` and others.'),
  status: f.text('The status of the work at the checkpoint.'),
  summary_text: f.text('A line for people.'),
  resume_cursor: f.nullableText('The cursor to branch or resume from; null = none.'),
  event_id: f.text('The event of the checkpoint.'),
  timestamp: f.time('The time, in ISO 8601.'),
})
export type CheckpointSummary = f.AnswerOf<typeof checkpointSchema>

const importedPromptSchema = f.kernelSchema<ImportedPrompt>('ImportedPrompt', 'A prompt of an imported session.', {
  message_id: f.text('The message of the prompt.'),
  text: f.text('The prompt.'),
  input: f.optional(f.anyJson('The whole input of the run, if it is more than the prompt.')),
})

export const sessionDetailSchema = f.extendedAnswer(
  'SessionDetail',
  'A session with its messages, artifacts, reports and places to resume from.',
  [sessionCardSchema, sessionMessagesSchema, sessionArtifactsSchema, sessionReportsSchema],
  {
    checkpoints: f.list(checkpointSchema, 'The newest checkpoints, newest first.'),
    subagents: f.list(subagentSchema, 'The subagents of the session, with their last status.'),
    resume_points: f.list(resumePointSchema, 'The newest places to resume or branch from, oldest first.'),
    channel: f.optional(f.reference(channelSchema, 'The participants and newest events; absent with `omit=channel`.')),
    imported_prompts: f.optional(
      f.list(
        importedPromptSchema,
        'The prompts of an imported session, in order; absent otherwise, and with `omit=imported_prompts`.',
      ),
    ),
    prompts_digest: f.optional(
      f.text('A replay or branch of an imported session repeats it to confirm its prompts; absent otherwise.'),
    ),
  },
)
export type SessionDetail = f.AnswerOf<typeof sessionDetailSchema>

export const cancelReceiptSchema = f.extendedAnswer('CancelReceipt', 'The answer to a cancel.', [sessionCardSchema], {
  cancelled: f.flag('False = the run had ended already.'),
})
export type CancelReceipt = f.AnswerOf<typeof cancelReceiptSchema>

export const signalReceiptSchema = f.extendedAnswer('SignalReceipt', 'The answer to a signal.', [sessionCardSchema], {
  runId: f.text('The run that has the signal.'),
})
export type SignalReceipt = f.AnswerOf<typeof signalReceiptSchema>
