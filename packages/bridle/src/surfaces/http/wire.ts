// Answers of the routes that all wires share, as a client meets them. Types only: clients import this file, and it brings no
// library. `answers/` declares a schema for each of these types, and the compiler compares the two.
import type { LogEntry } from '../../history/log-entry.ts'
import type { EngineInfo } from '../../kernel/engine-info.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { HarnessMessage } from '../../kernel/projections/harness-state.ts'
import type { SessionStatus } from '../../kernel/schemas.ts'
import type { HealthSnapshot } from '../../kernel/views/health-snapshot.ts'

export type { LogEntry } from '../../history/log-entry.ts'

/** The body of 400, 404, 405, 412, 415, 416 and 426. */
export interface PlainErrorBody {
  readonly error: string
  /** The path of the field of the body that is wrong. */
  readonly field?: string
  readonly warnings?: readonly string[]
}

/** The body of 401, 403, 409, 413, 429, 500 and 503. */
export interface TypedErrorBody extends Partial<SettledApprovalDetails> {
  readonly error: { readonly type: string; readonly message: string }
  readonly warnings?: readonly string[]
}

/** The answer of `/health`. */
export interface Liveness {
  /** True while the process answers. */
  readonly ok: boolean
}

/** The answer of `/ready`. */
export interface Readiness {
  /** True where the server takes requests. */
  readonly ready: boolean
  /** The reason why the server is not ready. */
  readonly message?: string
  /** Only callers with a credential get `workspace` and `agents`. */
  readonly workspace?: { readonly [name: string]: string | number | boolean | null }
  /** The agents of the server. */
  readonly agents?: readonly AgentStatus[]
}

/** An agent of a server. */
export interface AgentStatus {
  /** The agent's name. */
  readonly name: string
  /** A sentence for people. */
  readonly description: string
  /** True where the agent can run now. */
  readonly available: boolean
  /** The missing requirement; absent: the agent can run. */
  readonly needs?: string
  /** The place of the key or login that the agent uses, never its value; absent: it uses none, or none is known here. */
  readonly credential?: string
  /** Mistakes in the definition of the agent that stop nothing; absent: none is known. */
  readonly warnings?: readonly string[]
  /** The ways by which a run of the agent starts. */
  readonly triggers: { readonly webhook: boolean }
}

/** An agent with everything that a page about it shows. */
export interface AgentDescription extends AgentStatus {
  /** The engine that does the work; `native` for an agent in the server. */
  readonly engine: string
  /** The kind of the runner: `in_process` for agents in the server, `bridge` for engines in a sandbox. */
  readonly runner_kind: string
  /** The events and features of the engine; absent: everything is native. */
  readonly capabilities?: EngineInfo
  /** JSON Schema of the input; null = the agent takes any object, or its schema cannot be written so. */
  readonly input_schema: JsonObject | null
  /**
   * How the sessions of the agent are spoken with: `realtime`, the model hears and speaks; `cascade`, speech becomes text before the
   * agent reads it, and its text becomes speech; null = not at all.
   */
  readonly voice: 'realtime' | 'cascade' | null
}

/** The agents of a server. */
export interface AgentList {
  /** The agents, in the order in which the server has them. */
  readonly agents: readonly AgentDescription[]
}

/** The caller as the server knows it. */
export interface CallerIdentity {
  /** The user of the credential; null = the credential names none. */
  readonly user: string | null
  /** The tenant of this request. */
  readonly tenant: string
  /** The tenants that the credential may choose among; empty = any. */
  readonly tenants: readonly string[]
  /** `observe` reads and watches; `operate` runs, cancels and removes; `approve` answers approvals. */
  readonly scopes: readonly ('observe' | 'operate' | 'approve')[]
  /** The server asks for no credential. */
  readonly isOpen: boolean
}

export interface EngineStatus extends EngineInfo {
  readonly agent: string
  readonly available: boolean
  readonly needs?: string
}

export interface EngineList {
  readonly engines: readonly EngineStatus[]
}

/** A build on the machine of the server. */
export interface BuildManifest {
  readonly id: string
  readonly target: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Relative to the folder of the project. */
  readonly folder: string
  /** Null = the project is built by its own configuration. */
  readonly agents: readonly string[] | null
  /** The text that the bundler prints. */
  readonly size: string
}

export interface BuildList {
  readonly builds: readonly BuildManifest[]
}

export interface TicketGrant {
  /** Use it as `?ticket=`, or as the WebSocket subprotocol `ticket.<ticket>`. */
  readonly ticket: string
  readonly expiresAt: string
}

/** An uploaded file: a prompt names it as `{ ref_id }` in its attachments. */
export interface UploadGrant {
  /** The reference of the file. */
  readonly ref_id: string
  /** The type that its uploader named. */
  readonly mime_type: string
  /** The length of the file. */
  readonly size_bytes: number
}

/** A session in a list. Names in both spellings are those of the two documents that describe the wire. */
export interface SessionRow {
  /** The session's id. */
  readonly id: string
  /** The same as `id`. */
  readonly sessionId: string
  /** The same as `id`. */
  readonly session_id: string
  /** The name of its agent. */
  readonly agent: string
  /** The kind: `chat` or `background`. */
  readonly kind: 'chat' | 'background'
  /** The status. */
  readonly status: string
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
  /** The id of the last event. */
  readonly lastEventId: string
  /** The session that this one was started or branched from; null = none. */
  readonly parent_session_id: string | null
  /** The number of approvals that wait. */
  readonly pendingApprovals: number
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
  /** The event at which the branch left its parent; null = the session is no branch. */
  readonly branch_source_event_id: string | null
  /** The cursor at which the branch left its parent; null = the session is no branch. */
  readonly branch_resume_cursor: string | null
  /** The engine that does the work; `native` for an agent in the server. */
  readonly engine: string
  /** The kind of the runner: `in_process` for agents in the server, `bridge` for engines in a sandbox. */
  readonly runner_kind: string
  /** The oldest approval that waits; null = none. */
  readonly approval_request_id: string | null
  /** The reason of the last failure; null = none. */
  readonly last_error: string | null
  /** The health in short; null where the session has not reported it. */
  readonly health: HealthSummary | null
  /** The tokens and the cost so far; null in a row that an older version wrote. */
  readonly usage: UsageSummary | null
  /** The step that the work has reached; null where the current or last turn tells no steps. */
  readonly step: StepSummary | null
  /** The model of the last run; null = not known. */
  readonly model: string | null
  /** The time of the next attempt of a run that failed, in ISO 8601; null = none is due. */
  readonly retry_at: string | null
  /** The number of messages. */
  readonly messages: number
  /** Somebody put the session away; a prompt takes it out again. */
  readonly archived: boolean
}

/** The tokens and the cost of a session in a list. */
export interface UsageSummary {
  /** The tokens of all model calls, those of delegated work included. */
  readonly total_tokens: number
  /** The cost in US dollars; null = nobody has told one. */
  readonly cost_usd: number | null
}

/** The step that the work of a session has reached. */
export interface StepSummary {
  /** The number of the step, from 1. */
  readonly index: number
  /** The number of steps; null = not known. */
  readonly total: number | null
  /** The title of the step. */
  readonly title: string
  /** The status, in the agent's own word. */
  readonly status: string
}

export interface HealthSummary {
  readonly score: number
  readonly flags: readonly string[]
  readonly hint: string | null
  readonly budget_pressure: HealthSnapshot['budget_pressure']
  readonly recovery_action: string | null
}

/** A page of sessions. */
export interface SessionPage {
  /** The sessions of this page. */
  readonly sessions: readonly SessionRow[]
  /** Pass it as `cursor` for the next page. */
  readonly next?: string
}

/** The tree of branches that a session belongs to. */
export interface SessionTree {
  /** The id of the session that the tree begins with. */
  readonly root: string
  /** The sessions, each parent before its branches. */
  readonly sessions: readonly TreeSession[]
  /** True = the tree has more sessions than an answer. */
  readonly truncated: boolean
}

/** A session of a tree. */
export interface TreeSession {
  /** The session's id. */
  readonly id: string
  /** The session's agent. */
  readonly agent: string
  /** False = a gap: the tree names the session, and it cannot be opened. All other facts about it are null. */
  readonly visible: boolean
  /** The reason of a gap: `removed`, or `unavailable`, where the credential cannot learn whether it was removed or is another user's. */
  readonly gap?: 'removed' | 'unavailable'
  /** The session that it branches from, and the number of the last event that both have. */
  readonly parent: { readonly id: string; readonly seq: number } | null
  /** The title. */
  readonly title: string | null
  /** The status. */
  readonly status: string | null
  /** The number of its last event. */
  readonly head: number | null
  /** The time of its start. */
  readonly created_at: string | null
  /** The time of its last change. */
  readonly updated_at: string | null
  /** The cost since the session began, without its parent's; null = nobody has told it. */
  readonly cost_usd: number | null
  /** The tokens since the session began, without its parent's. */
  readonly tokens: number | null
  /** The newest numbers of its own checkpoints; null = the answer leaves them out. */
  readonly checkpoints: readonly number[] | null
  /** The newest numbers of its own requests for approvals; null = the answer leaves them out. */
  readonly approvals: readonly number[] | null
}

/** An approval of a session that waits for an answer. */
export interface SessionApproval {
  /** The approval's id. */
  readonly id: string
  /** The kind of the approval. */
  readonly kind: 'tool' | 'budget' | 'unknown_outcome'
  /** The name of the tool, or the subject of the question. */
  readonly toolName: string
  /** The tool call that waits; empty = none. */
  readonly toolCallId: string
  /** The reason that the person reads. */
  readonly reason: string
  /** The arguments, which the person may change. */
  readonly args: JsonObject
  /** The time at which the approval expires, in ISO 8601; null = never. */
  readonly expiresAt: string | null
  /** The declared effect of the call; null = its tool declares none. */
  readonly effect: ApprovalEffect | null
  /** How much is at stake, as the policy or the declared effect says; null = neither does. */
  readonly risk: ApprovalRiskLevel | null
}

/** Whether a call may be repeated after a crash in the middle of it. */
export type ApprovalEffect = 'pure' | 'idempotent' | 'unsafe'

/** How much is at stake in a call that a person is asked about. */
export type ApprovalRiskLevel = 'low' | 'caution' | 'danger'

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
  readonly runner_kind: string
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
}

/** The reports of a session's agent about its work, the newest of each kind. The log has all of them. */
export interface SessionReports {
  /** The tokens and the cost of the session so far. */
  readonly usage: SessionUsage
  /** The newest steps of the work, oldest first. */
  readonly steps: readonly SessionStep[]
  /** The step that the work has reached; null where the current or last turn tells no steps. */
  readonly step: StepSummary | null
  /** The newest citations, oldest first. */
  readonly citations: readonly SessionCitation[]
  /** The newest retrieval: `query`, and of the documents before the model `tokens`, `documents` and `left_out`; null = none. */
  readonly context_pack: SessionNotice | null
  /** The newest report of the guardrails: `trace_id`, `confidence`, `layers`; null = none. */
  readonly guardrail: SessionNotice | null
  /** The newest warnings about the context, oldest first: `message`, `kind`, `usage_pct`. */
  readonly context_warnings: readonly SessionNotice[]
  /** The newest compactions of the context, oldest first: `summary`, and the numbers that the engine reports. */
  readonly compactions: readonly SessionNotice[]
  /** The values that the agent proposes for its memory and that wait for a decision, newest first. */
  readonly memory_proposals: readonly ProposalSummary[]
}

/** The tokens and the cost of a session. */
export interface SessionUsage {
  /** The tokens that the models of the session read. */
  readonly input_tokens: number
  /** The tokens that the models of the session wrote. */
  readonly output_tokens: number
  /** The tokens of all model calls, those of delegated work included. */
  readonly total_tokens: number
  /** The cost in US dollars; null = nobody has told one. */
  readonly cost_usd: number | null
  /** The used part of the model's context in percent; null = not known, or compacted since. */
  readonly context_usage_pct: number | null
  /** The number of reports of tokens: one for each model call, or for each turn where the engine tells no more. */
  readonly model_calls: number
}

/** A step of the work, as it was last told. */
export interface SessionStep {
  /** The id of the step in its turn, or its place in the plan. */
  readonly step: string
  /** The title of the step. */
  readonly title: string
  /** The status, in the agent's own word; that of the turn where the turn ended first. */
  readonly status: string
  /** The time at which the step began, in ISO 8601; null = nobody has told. */
  readonly started_at: string | null
  /** The time at which the step ended, in ISO 8601; null = not yet. */
  readonly ended_at: string | null
  /** The event that told the status. */
  readonly event_id: string
}

/** A source of an answer: the fields of the agent's own, often `id`, `title` and `url`. */
export interface SessionCitation {
  /** The event that named the source. */
  readonly event_id: string
  readonly [name: string]: Json
}

/** The payload of an event, with its place. A payload that is too large for a page is left out: `isCut` is true. */
export interface SessionNotice {
  /** The event. */
  readonly event_id: string
  /** The time of the event, in ISO 8601. */
  readonly timestamp: string
  readonly [name: string]: Json
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

/** Delegated work; the engine adds fields of its own. */
export interface SubagentStatus {
  readonly agent_id: string
  readonly status: string
  readonly event_id: string
  readonly updated_at: string
  readonly [name: string]: Json
}

/** The participants of a session, and its newest events as envelopes from one participant to others. */
export interface SessionChannel {
  readonly channel_id: string
  readonly participants: readonly ChannelParticipant[]
  readonly envelopes: readonly ChannelEnvelope[]
  /** Pass it as `before` to `GET /sessions/:id/channel` for the envelopes before these. */
  readonly next?: string
}

/** A page of the envelopes of a session. */
export interface ChannelPage {
  /** The envelopes, oldest first. */
  readonly envelopes: readonly ChannelEnvelope[]
  /** Pass it as `before` for the page before this one. */
  readonly next?: string
}

/** The identity of a session in its log and in an export. */
export interface LogSession {
  /** The session's id. */
  readonly id: string
  /** The agent of the session. */
  readonly agent: string
  /** Whether people chat in it, or it works in the background. */
  readonly kind: 'chat' | 'background'
  /** The event of another session that this one branches from; absent: it is no branch. */
  readonly parent?: {
    readonly agent: string
    readonly id: string
    readonly seq: number
    /** The incarnation of the parent's log. */
    readonly incarnation: number
  }
}

/** The answer to an import. */
export interface ImportReceipt {
  /** The sessions of the file, in its order. */
  readonly sessions: readonly {
    /** The id of the session on this server. */
    readonly id: string
    /** The agent of the session. */
    readonly agent: string
    /** How many events of the file it has. */
    readonly events: number
    /** True where the server had these events already, and nothing was written. */
    readonly existing?: boolean
    /** The id in the file, where another session has it here. */
    readonly renamed_from?: string
  }[]
}

/** A page of the log of a session. */
export interface SessionLogPage {
  /** The session that the log belongs to. */
  readonly session: LogSession
  /** Events in the order of their numbers, without a gap; those of a branch begin with its parent's. */
  readonly entries: readonly LogEntry[]
  /** The number of the newest event. */
  readonly head: number
  /** The incarnation of the log: numbers of another one name other events. */
  readonly incarnation: number
  /** Pass it as `after` for the next page; null: the page ends at the head. */
  readonly next: number | null
}

export interface ChannelParticipant {
  readonly participant_id: string
  readonly kind: 'runtime' | 'agent' | 'operator' | 'tool'
  readonly name: string
}

/** An event of a session as an envelope from one participant to others. */
export interface ChannelEnvelope {
  /** The id of the event. */
  readonly event_id: string
  /** The number of the event. */
  readonly seq: number
  /** The time, in ISO 8601. */
  readonly timestamp: string
  /** The participant that the event comes from. */
  readonly sender_id: string
  /** The participants that the event is for. */
  readonly recipient_ids: readonly string[]
  /** The type of the event. */
  readonly event_type: string
  /** A line for people. */
  readonly summary: string
  /** The content of the event. */
  readonly payload: Json
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

/** An approval that waits for an answer, in the inbox over all sessions. */
export interface PendingApproval {
  /** The approval's id. */
  readonly id: string
  /** The same as `id`. */
  readonly approvalId: string
  /** The id of the session. */
  readonly sessionId: string
  /** The name of the session's agent. */
  readonly agent: string
  /** Title of the session. */
  readonly title: string | null
  /** The status: the inbox has only approvals that wait. */
  readonly status: 'pending'
  /** The kind: `tool`, `budget` or `unknown_outcome`; null = not known. */
  readonly kind: string | null
  /** The name of the tool, or the subject of the question. */
  readonly toolName: string
  /** The tool call that waits; null = none. */
  readonly toolCallId: string | null
  /** Null = too large for a list; the session has them. */
  readonly args: JsonObject | null
  /** The reason that the person reads. */
  readonly reason: string
  /** The session has more of the title, the tool's name, the reason or the arguments. */
  readonly isCut: boolean
  /** The time of the request, in ISO 8601. */
  readonly requestedAt: string
  /** The time at which the approval expires, in ISO 8601; null = never. */
  readonly expiresAt: string | null
  /** The declared effect of the call; null = its tool declares none. */
  readonly effect: ApprovalEffect | null
  /** How much is at stake, as the policy or the declared effect says; null = neither does. */
  readonly risk: ApprovalRiskLevel | null
}

/** An approval that no longer waits, in the history of the inbox. */
export interface SettledApproval extends Omit<PendingApproval, 'status'> {
  /** The decision; `cancelled` = its run ended, or another question replaced it. */
  readonly status: 'approved' | 'denied' | 'expired' | 'cancelled'
  /** The time of the decision, in ISO 8601. */
  readonly decidedAt: string
  /** The person who decided; null = nobody, or not named. */
  readonly decidedBy: string | null
  /** The person's own words; null = none. */
  readonly decisionReason: string | null
  /** The call was approved with other arguments than those asked for; `args` has the approved ones. */
  readonly isEdited: boolean
}

/** The approvals of each `status` of the inbox. */
export interface ApprovalsByStatus {
  /** Approvals that wait, oldest first. */
  readonly pending: PendingApproval
  /** Approvals that were settled, newest decision first. */
  readonly decided: SettledApproval
  /** Approvals that wait, then those that were settled. */
  readonly all: PendingApproval | SettledApproval
}

/** A page of the inbox. */
export interface ApprovalPage<A = PendingApproval> {
  /** The approvals of this page. */
  readonly approvals: readonly A[]
  /** Pass it as `cursor` for the next page. */
  readonly next?: string
}

/** Fields that stand beside the error where an approval was settled already (409). */
export interface SettledApprovalDetails {
  /** The decision that stands. */
  readonly decision: 'approved' | 'denied' | 'expired' | 'cancelled'
  /** The person who decided; null = nobody, or not named. */
  readonly decidedBy: string | null
  /** The time of the decision, in ISO 8601. */
  readonly decidedAt: string
}

/** The answer to `approve` and `reject`. */
export interface ApprovalReceipt {
  /** Always true: a decision that is refused is an error. */
  readonly ok: true
  /** The approval's id. */
  readonly approvalId: string
  /** The decision. */
  readonly decision: 'approved' | 'denied'
  /** The number of the session's newest event after the decision. */
  readonly seq: number
}

/** An artifact without its content. */
export interface ArtifactSummary {
  /** The artifact's id. */
  readonly id: string
  /** The same as `id`. */
  readonly artifact_id: string
  /** The name. */
  readonly name: string
  /** The kind. */
  readonly kind: string
  /** The same as `kind`. */
  readonly artifact_type: string
  /** The content type. */
  readonly contentType: string
  /** The same as `contentType`. */
  readonly content_type: string
  /** The size in bytes. */
  readonly size: number
  /** The event that published it. */
  readonly event_id: string
  /** The time of publication, in ISO 8601. */
  readonly createdAt: string
  /** The same as `createdAt`. */
  readonly created_at: string
  /** The place of spoken audio in the conversation; absent = the artifact is none. */
  readonly audio?: ArtifactAudio
}

/** Spoken audio that a session keeps: whose it is, and where it belongs. */
export interface ArtifactAudio {
  /** `user`: a prompt as it was said. `assistant`: an answer, as far as it was heard. */
  readonly role: 'user' | 'assistant'
  /** The run. */
  readonly run_id: string
  /** The message that has the words. */
  readonly message_id: string
  /** The length in milliseconds. */
  readonly ms: number
  /** The audio was longer than an artifact may be, and its end is missing. */
  readonly cut?: true
}

/** A page of the artifacts of a session. */
export interface ArtifactPage {
  /** The artifacts of this page, newest first. */
  readonly artifacts: readonly ArtifactSummary[]
  /** Pass it as `before` for the next page. */
  readonly next?: number | string
}

/** An act of an operator or of the server. */
export interface AuditEntry {
  /** The event of the act. */
  readonly event_id: string
  /** The time, in ISO 8601. */
  readonly timestamp: string
  /** The act. */
  readonly action: string
  /** The person who acted; null = the server, or not named. */
  readonly actor: string | null
  /** A line for people. */
  readonly summary: string
}

/** A page of what operators and the server did with a session. */
export interface AuditPage {
  /** The rows of this page, newest first. */
  readonly audit: readonly AuditEntry[]
  /** Pass it as `before` for the next page. */
  readonly next?: string
}

/** The kind of something in a workspace: a link is shown and not followed, and what is neither file, folder nor link is never opened. */
export type WorkspaceEntryKind = 'file' | 'folder' | 'link' | 'other'

/** A file of a workspace that differs from the source. */
export interface WorkspaceChange {
  /** The path below the workspace, with `/`. Names are data: an agent chose them. */
  readonly path: string
  /** The kind, as it is now; of a deleted one as the source has it. A `folder` is one that is not looked into, such as `node_modules`. */
  readonly kind: WorkspaceEntryKind
  /** The difference. */
  readonly status: 'added' | 'modified' | 'deleted'
  /** The number of lines that the source does not have; null = not counted: no text, or too large. */
  readonly additions: number | null
  /** The number of lines of the source that are gone; null = not counted. */
  readonly deletions: number | null
  /** True where the file, or its source, is no text. */
  readonly is_binary: boolean
}

/** The workspaces that a caller may ask for with a new session. */
export interface WorkspaceOffer {
  /** The ways in which a session has files: on a branch or in a copy (`write`), or in the folder itself (`in_place`). None: no workspaces here. */
  readonly modes: readonly ('write' | 'in_place')[]
  /** Folders that the caller may name; those below them, too. */
  readonly sources: readonly string[]
  /** True where the caller may name any folder that the server's user can read. */
  readonly any_source: boolean
}

/** The workspace of a session, and its files that differ from the source. */
export interface WorkspaceReport {
  /** The id of the workspace; null = none was prepared. */
  readonly workspace_id: string | null
  /** The access to the workspace: `none`, `read` or `write`. */
  readonly mode: string
  /** The beginning of the workspace: a worktree of the source's repository, a copy of the source, an empty folder, or the source itself; null = not known. */
  readonly kind: 'git_worktree' | 'copy' | 'empty' | 'in_place' | null
  /** The folder that the workspace began with; null = it began empty. */
  readonly source: string | null
  /** True where the files can be listed and read here. */
  readonly is_available: boolean
  /** True where the files were compared with the source. False: `changes` is empty and says nothing. */
  readonly is_compared: boolean
  /** The reason why there are no files, or why they were not compared. */
  readonly reason?: string
  /** The differences, by path. */
  readonly changes: readonly WorkspaceChange[]
  /** True where there may be more differences than these. */
  readonly truncated: boolean
}

/** An entry of a folder in a workspace. */
export interface WorkspaceEntry {
  /** The name. An agent chose it. */
  readonly name: string
  /** The kind. */
  readonly kind: WorkspaceEntryKind
  /** The length in bytes; null for anything but a file. */
  readonly size: number | null
  /** The time of the last change, in ISO 8601; null = not known. */
  readonly modified: string | null
}

/** The entries of one folder in a workspace. */
export interface WorkspaceFolder {
  /** The path below the workspace; empty = the workspace itself. */
  readonly path: string
  /** The entries: folders first, then by name. */
  readonly entries: readonly WorkspaceEntry[]
  /** True where the folder has more entries. */
  readonly truncated: boolean
}

/** A file of a workspace, or a link, whose text is its target. */
export interface WorkspaceFile {
  /** The path below the workspace. */
  readonly path: string
  /** `current`: as it is now. `source`: as the workspace began. */
  readonly version: 'current' | 'source'
  /** The kind. */
  readonly kind: 'file' | 'link'
  /** The length in bytes. */
  readonly size: number
  /** True where the content is no text. */
  readonly is_binary: boolean
  /** The text, at most 1 MB of it; null = no text, or the server kept no content of the source. */
  readonly text: string | null
  /** True where the file has more text than this. */
  readonly truncated: boolean
}

/** The memory of a session, as far as people decided about it. What an agent keeps by itself is not shown. */
export interface MemoryPage {
  /** Values that somebody accepted. */
  readonly memory: readonly AcceptedValue[]
  /** The newest proposals, newest first. */
  readonly proposals: readonly ProposalSummary[]
}

/** A value of the memory that somebody accepted, with its source. */
export interface AcceptedValue {
  /** The key. */
  readonly key: string
  /** The value. */
  readonly value: Json
  /** The time after which the value is forgotten, in ISO 8601; null = never. */
  readonly expiresAt: string | null
  /** The proposal: the id of its artifact. */
  readonly proposalId: string
  /** The run that proposed it; null = not known. */
  readonly runId: string | null
  /** The time of the decision, in ISO 8601. */
  readonly acceptedAt: string
  /** The person who accepted it; null = not named. */
  readonly acceptedBy: string | null
}

/** A value that the agent proposes for the memory. What it says is the content of the artifact with this id. */
export interface ProposalSummary {
  /** The id of the artifact. */
  readonly id: string
  /** The key: as accepted, or else as proposed. */
  readonly key: string
  /** The decision, or that it waits for one. */
  readonly status: 'pending' | 'accepted' | 'rejected'
  /** The content type of the artifact: JSON stands for its value, any other text for itself. */
  readonly contentType: string
  /** The size of the artifact in bytes. */
  readonly size: number
  /** The agent's own words; null = none. */
  readonly reason: string | null
  /** The run that proposes it; null = not known. */
  readonly runId: string | null
  /** The time of the proposal, in ISO 8601. */
  readonly proposedAt: string
  /** The time of the decision, in ISO 8601; null = not yet. */
  readonly decidedAt: string | null
  /** The person who decided; null = nobody, or not named. */
  readonly decidedBy: string | null
  /** The person's own words; null = none. */
  readonly decisionReason: string | null
}

/** The answer to a decision about a proposal. */
export interface MemoryReceipt {
  /** Always true: a decision that is refused is an error. */
  readonly ok: true
  /** The proposal: the id of its artifact. */
  readonly proposalId: string
  /** The decision. */
  readonly decision: 'accepted' | 'rejected'
  /** The key of the value. */
  readonly key: string
  /** The number of the session's newest event after the decision. */
  readonly seq: number
}
