// Sessions in lists and trees.
import type { RunnerKind } from '../../../kernel/engine-info.ts'
import type { SessionStatus } from '../../../kernel/schemas.ts'
import type { HealthSummary, StepSummary, UsageSummary } from '../../../kernel/views/row-detail.ts'

export type { HealthSummary, StepSummary, UsageSummary }

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
  readonly runner_kind: RunnerKind
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
