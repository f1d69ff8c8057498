// Answers of the routes that all wires share, as a client meets them. Types only: clients import this file, and it brings no
// library. `answers/` declares a schema for each of these types, and the compiler compares the two.
import type { EngineInfo } from '../../kernel/engine-info.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { HarnessMessage } from '../../kernel/projections/conversation/harness-state.ts'
import type { SessionStatus } from '../../kernel/schemas.ts'
import type { HealthSnapshot } from '../../kernel/views/health-snapshot.ts'

/** The body of 400, 404, 405, 412, 415, 416 and 426. */
export interface PlainErrorBody {
  readonly error: string
  readonly warnings?: readonly string[]
}

/** The body of 401, 403, 409, 413, 429, 500 and 503. */
export interface TypedErrorBody {
  readonly error: { readonly type: string; readonly message: string }
  readonly warnings?: readonly string[]
}

export interface Liveness {
  readonly ok: boolean
}

export interface Readiness {
  readonly ready: boolean
  /** The reason why the server is not ready. */
  readonly message?: string
  /** Only callers with a credential get `workspace` and `agents`. */
  readonly workspace?: { readonly [name: string]: string | number | boolean | null }
  readonly agents?: readonly AgentStatus[]
}

export interface AgentStatus {
  readonly name: string
  readonly description: string
  readonly available: boolean
  /** The missing requirement; absent: the agent can run. */
  readonly needs?: string
  readonly triggers: { readonly webhook: boolean }
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
  /** In the words of the bundler. */
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

/** A session in a list. Names in both spellings are those of the two documents that describe the wire. */
export interface SessionRow {
  readonly id: string
  readonly sessionId: string
  readonly session_id: string
  readonly agent: string
  readonly kind: 'chat' | 'background'
  readonly status: string
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly created_at: string
  readonly updated_at: string
  readonly lastEventId: string
  readonly parent_session_id: string | null
  readonly pendingApprovals: number
  readonly attempt_count: number
  readonly max_retries: number
  readonly expires_at: string | null
  readonly ended_at: string | null
  readonly last_heartbeat_at: string | null
  readonly branch_source_event_id: string | null
  readonly branch_resume_cursor: string | null
  readonly engine: string
  readonly runner_kind: string
  readonly approval_request_id: string | null
  readonly last_error: string | null
  readonly health: HealthSummary | null
}

export interface HealthSummary {
  readonly score: number
  readonly flags: readonly string[]
  readonly hint: string | null
  readonly budget_pressure: HealthSnapshot['budget_pressure']
  readonly recovery_action: string | null
}

export interface SessionPage {
  readonly sessions: readonly SessionRow[]
  /** Pass it as `cursor` for the next page. */
  readonly next?: string
}

export interface SessionApproval {
  readonly id: string
  readonly kind: 'tool' | 'budget' | 'unknown_outcome'
  readonly toolName: string
  readonly toolCallId: string
  readonly reason: string
  readonly args: JsonObject
  readonly expiresAt: string | null
}

/** The state of a session without its messages: the answer to starting, pausing, resuming and cancelling. */
export interface SessionCard {
  readonly id: string
  readonly sessionId: string
  readonly session_id: string
  readonly agent: string
  readonly agent_profile: string
  readonly kind: 'chat' | 'background'
  readonly status: SessionStatus
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly created_at: string
  readonly updated_at: string
  readonly lastEventId: string
  readonly queued: number
  readonly runId: string | null
  readonly lastError: string | null
  readonly last_error: string | null
  readonly provider: string | null
  readonly model: string | null
  readonly permission_mode: string
  readonly approval_mode: string
  readonly think_level: string | null
  readonly policy_path: string
  readonly sandbox_mode: string | null
  readonly sandbox_isolation: string | null
  readonly workspace_id: string | null
  readonly workspace_mode?: string
  readonly workspace_source?: string
  readonly workspace_path?: string
  readonly task_graph_id: string | null
  readonly engine: string
  readonly runner_kind: string
  readonly approval_request_id: string | null
  readonly process_id: string | null
  readonly attempt_count: number
  readonly max_retries: number
  readonly expires_at: string | null
  readonly ended_at: string | null
  readonly last_heartbeat_at: string | null
  readonly parent_session_id: string | null
  readonly branch_source_event_id: string | null
  readonly branch_resume_cursor: string | null
  readonly resume_context: ResumeContext | null
  /** The events and features of the engine; absent: everything is native. */
  readonly capabilities?: EngineInfo
  readonly approvals: readonly SessionApproval[]
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
  readonly messages: readonly HarnessMessage[]
  /** The number of messages before these. */
  readonly earlierMessages?: number
}

/** The newest artifacts of a session. */
export interface SessionArtifacts {
  readonly artifacts: readonly ArtifactSummary[]
  /** The number of artifacts before these. */
  readonly earlierArtifacts?: number
}

export interface SessionDetail extends SessionCard, SessionMessages, SessionArtifacts {
  readonly checkpoints: readonly CheckpointSummary[]
  readonly subagents: readonly SubagentStatus[]
  readonly channel: SessionChannel
}

export interface CheckpointSummary {
  readonly session_id: string
  readonly sequence: number
  readonly checkpoint_type: string
  readonly status: string
  readonly summary_text: string
  readonly resume_cursor: string | null
  readonly event_id: string
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
}

export interface ChannelParticipant {
  readonly participant_id: string
  readonly kind: 'runtime' | 'agent' | 'operator' | 'tool'
  readonly name: string
}

export interface ChannelEnvelope {
  readonly event_id: string
  readonly seq: number
  readonly timestamp: string
  readonly sender_id: string
  readonly recipient_ids: readonly string[]
  readonly event_type: string
  readonly summary: string
  readonly payload: Json
}

/** `cancelled` is false when the run had ended already. */
export interface CancelReceipt extends SessionCard {
  readonly cancelled: boolean
}

/** An approval that waits for an answer, in the inbox over all sessions. */
export interface PendingApproval {
  readonly id: string
  readonly approvalId: string
  readonly sessionId: string
  readonly agent: string
  /** Title of the session. */
  readonly title: string | null
  readonly status: 'pending'
  readonly kind: string | null
  readonly toolName: string
  readonly toolCallId: string | null
  /** Null = too large for a list; the session has them. */
  readonly args: JsonObject | null
  readonly reason: string
  /** The session has more of the title, the tool's name, the reason or the arguments. */
  readonly isCut: boolean
  readonly requestedAt: string
  readonly expiresAt: string | null
}

export interface ApprovalPage {
  readonly approvals: readonly PendingApproval[]
  /** Pass it as `cursor` for the next page. */
  readonly next?: string
}

export interface ApprovalReceipt {
  readonly ok: true
  readonly approvalId: string
  readonly decision: 'approved' | 'denied'
  /** The number of the session's newest event after the decision. */
  readonly seq: number
}

/** An artifact without its content. */
export interface ArtifactSummary {
  readonly id: string
  readonly artifact_id: string
  readonly name: string
  readonly kind: string
  readonly artifact_type: string
  readonly contentType: string
  readonly content_type: string
  readonly size: number
  readonly event_id: string
  readonly createdAt: string
  readonly created_at: string
}

export interface ArtifactPage {
  readonly artifacts: readonly ArtifactSummary[]
  /** Pass it as `before` for the next page. */
  readonly next?: number | string
}

export interface AuditEntry {
  readonly event_id: string
  readonly timestamp: string
  readonly action: string
  readonly actor: string | null
  readonly summary: string
}

export interface AuditPage {
  readonly audit: readonly AuditEntry[]
  /** Pass it as `before` for the next page. */
  readonly next?: string
}
