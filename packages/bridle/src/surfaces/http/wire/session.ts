// The detail of a session: its card, messages, artifacts and resume points.
import type { EngineInfo, RunnerKind } from '../../../kernel/engine-info.ts'
import type { ImportedPrompt } from '../../../kernel/host/import-confirmation.ts'
import type { HarnessMessage } from '../../../kernel/projections/harness-state.ts'
import type { SessionStatus } from '../../../kernel/schemas.ts'
import type { HealthSnapshot } from '../../../kernel/views/health-snapshot.ts'
import type { SessionApproval } from './approvals.ts'
import type { ArtifactSummary } from './artifacts.ts'
import type { SessionChannel } from './channel.ts'
import type { SessionReports, SubagentStatus } from './reports.ts'

export type { ImportedPrompt }

/** The state of a session without its messages: the answer to starting, pausing, resuming and cancelling. */
export interface SessionCard {
  /** The session's id. */
  readonly id: string
  /** The same as `id`. */
  readonly sessionId: string
  /** The same as `id`. */
  readonly session_id: string
  /** The name of the session's agent. */
  readonly agent: string
  /** The same as `agent`. */
  readonly agent_profile: string
  /** The kind: `chat` or `background`. */
  readonly kind: 'chat' | 'background'
  /** The status of the session. */
  readonly status: SessionStatus
  /** The title. */
  readonly title: string
  /** The time of the first event, in ISO 8601. */
  readonly createdAt: string
  /** The time of the last event, in ISO 8601. */
  readonly updatedAt: string
  /** The same as `createdAt`. */
  readonly created_at: string
  /** The same as `updatedAt`. */
  readonly updated_at: string
  /** The id of the last event: a stream resumes after it. */
  readonly lastEventId: string
  /** The number of prompts that wait for their turn. */
  readonly queued: number
  /** The run in progress; null = none. */
  readonly runId: string | null
  /** The reason of the last failure; null = none. */
  readonly lastError: string | null
  /** The same as `lastError`. */
  readonly last_error: string | null
  /** The model provider of the last run; null = not known. */
  readonly provider: string | null
  /** The model of the last run; null = not known. */
  readonly model: string | null
  /** The permission mode. */
  readonly permission_mode: string
  /** The approval mode. */
  readonly approval_mode: string
  /** The effort that the model spends on thoughts; null = its default. */
  readonly think_level: string | null
  /** The session keeps the audio of what is said; absent = it keeps none. */
  readonly voice?: { readonly keep_audio: true }
  /** The order in which policies decide about a tool call. */
  readonly policy_path: string
  /** The isolation that was asked for; null = no sandbox. */
  readonly sandbox_mode: string | null
  /** The isolation that the sandbox has; null = no sandbox. */
  readonly sandbox_isolation: string | null
  /** The id of the workspace; null = none. */
  readonly workspace_id: string | null
  /** The access to the workspace: `none`, `read`, `write` or `in_place`. */
  readonly workspace_mode?: string
  /** The source of the workspace. */
  readonly workspace_source?: string
  /** The path of the workspace. */
  readonly workspace_path?: string
  /** The beginning of the workspace: a worktree, a copy, an empty folder, or the source itself. */
  readonly workspace_kind?: 'git_worktree' | 'copy' | 'empty' | 'in_place'
  /** The branch of a worktree; null = the workspace is none. */
  readonly workspace_branch?: string | null
  /** The id of the task graph; null = none. */
  readonly task_graph_id: string | null
  /** The engine that does the work; `native` for an agent in the server. */
  readonly engine: string
  /** The kind of the runner: `in_process` for agents in the server, `bridge` for engines in a sandbox. */
  readonly runner_kind: RunnerKind
  /** The oldest approval that waits; null = none. */
  readonly approval_request_id: string | null
  /** The sandbox of the run in progress; null = none. */
  readonly process_id: string | null
  /** The number of attempts at the current or last run. */
  readonly attempt_count: number
  /** The number of times that a failed run is tried again. */
  readonly max_retries: number
  /** The time at which a background session expires, in ISO 8601; null = never. */
  readonly expires_at: string | null
  /** The time at which the session ended, in ISO 8601; null = not yet. */
  readonly ended_at: string | null
  /** The time of the last sign of life of a run, in ISO 8601; null = none so far. */
  readonly last_heartbeat_at: string | null
  /** The session that this one was started or branched from; null = none. */
  readonly parent_session_id: string | null
  /** The event at which the branch left its parent; null = the session is no branch. */
  readonly branch_source_event_id: string | null
  /** The cursor at which the branch left its parent; null = the session is no branch. */
  readonly branch_resume_cursor: string | null
  /** The time of the next attempt of a run that failed, in ISO 8601; null = none is due. */
  readonly retry_at: string | null
  /** The newest place from which the session can be resumed or branched; null = none. */
  readonly resume_context: ResumeContext | null
  /** The events and features of the engine; absent: everything is native. */
  readonly capabilities?: EngineInfo
  /** Somebody put the session away; a prompt takes it out again. */
  readonly archived: boolean
  /** The approvals that wait. */
  readonly approvals: readonly SessionApproval[]
  /** The health of the session. */
  readonly health: HealthSnapshot
}

/** The newest place from which the session can be resumed or branched. */
export interface ResumeContext {
  readonly kind: string
  readonly event_id: string
  readonly resume_cursor: string
}

/** The newest messages of a session. */
export interface SessionMessages {
  /** The messages, oldest first. */
  readonly messages: readonly HarnessMessage[]
  /** The number of messages before these. */
  readonly earlierMessages?: number
}

/** The newest artifacts of a session. */
export interface SessionArtifacts {
  /** The artifacts. */
  readonly artifacts: readonly ArtifactSummary[]
  /** The number of artifacts before these. */
  readonly earlierArtifacts?: number
}

/** A session with its messages, artifacts, checkpoints, subagents, channel, and what its agent reports about the work. */
export interface SessionDetail extends SessionCard, SessionMessages, SessionArtifacts, SessionReports {
  /** The newest checkpoints, newest first. */
  readonly checkpoints: readonly CheckpointSummary[]
  /** The subagents of the session, with their last status. */
  readonly subagents: readonly SubagentStatus[]
  /** The newest places from which the session can be resumed or branched, in order. */
  readonly resume_points: readonly ResumePoint[]
  /** The participants of the session, and its newest events between them. Absent where the request has `omit=channel`. */
  readonly channel?: SessionChannel
  /** The prompts of an imported session, in full and in their order. Absent if it was not imported, or where the request has `omit=imported_prompts`. */
  readonly imported_prompts?: readonly ImportedPrompt[]
  /** Confirms the prompts of an imported session: its replay or branch repeats it. Absent if it was not imported. */
  readonly prompts_digest?: string
}

/** A position that a session can be resumed or branched from. */
export interface ResumePoint {
  /** The kind of the point. */
  readonly kind: 'checkpoint' | 'approval' | 'turn'
  /** The event to branch from. */
  readonly event_id: string
  /** The point as a cursor, for a background session that resumes. */
  readonly resume_cursor: string
  /** A line for people. */
  readonly summary: string
  /** The time, in ISO 8601. */
  readonly timestamp: string
}

/** A checkpoint of a session. */
export interface CheckpointSummary {
  /** The id of the session. */
  readonly session_id: string
  /** The number of the checkpoint in its session, from 1. */
  readonly sequence: number
  /** The type: `step`, `turn`, `resume_seed` and others. */
  readonly checkpoint_type: string
  /** The status of the work at the checkpoint. */
  readonly status: string
  /** A line for people. */
  readonly summary_text: string
  /** The cursor to branch or resume from; null = none. */
  readonly resume_cursor: string | null
  /** The event of the checkpoint. */
  readonly event_id: string
  /** The time, in ISO 8601. */
  readonly timestamp: string
}

/** `cancelled` is false when the run had ended already. */
export interface CancelReceipt extends SessionCard {
  readonly cancelled: boolean
}

/** The answer to a signal. */
export interface SignalReceipt extends SessionCard {
  /** The run that has the signal. */
  readonly runId: string
}
