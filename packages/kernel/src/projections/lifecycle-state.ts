// The state of a session's lifecycle. Types only: lifecycle.ts says how events change it.

import type { Json, JsonObject } from '@bridle/events/json'
import type { PARK_REASONS, Policy } from '@bridle/events/schemas'
import type { TaskDelegation } from '../commands.ts'
import type { BranchParent } from '../ports/log.ts'

export interface Lifecycle {
  readonly created: boolean
  /** The number of the first event: a cursor below it belongs to a deleted session of the same id. */
  readonly firstSeq: number
  readonly kind: 'chat' | 'background'
  /** The owner in the log; an id that names a user overrides it (`ownerOf`). */
  readonly owner: string | null
  readonly title: string
  readonly createdAt: number
  readonly settings: JsonObject
  /** The sandbox of the last run. */
  readonly sandbox: { readonly mode: string; readonly isolation: string } | null
  /** The provider and the model of the last run, if known. `isFallback`: a later model of the agent's list answers. */
  readonly runtime: {
    readonly provider: string | null
    readonly model: string | null
    readonly isFallback?: true
  }
  readonly maxRetries: number
  readonly expiresAt: number | null
  readonly policy: Policy
  readonly parent: BranchParent | null
  readonly parentSessionId: string | null
  /** The status for the parent session, and the event that set it; null: no parent is notified. */
  readonly reportedStatus: { readonly status: string; readonly seq: number; readonly steps?: number } | null
  /** Number of the last status that the parent has. */
  readonly parentNotifiedSeq: number
  /** The session does a task for a run of its parent; null: it does not. */
  readonly delegation: TaskDelegation | null
  readonly branch: { readonly sourceEventId: string; readonly resumeCursor: string } | null
  /** The number of the newest `session_imported`; null: no part of the log was imported. */
  readonly importedSeq: number | null
  /** The last event that came from a file, in this session or one that it branches from; 0: there is none. A branch at or before it is a branch of the file. */
  readonly claimedSeq: number
  readonly queue: readonly Prompt[]
  readonly run: Run | null
  readonly paused: boolean
  /** The answer to an approval after which the session pauses: when its call has an outcome. Null = none. */
  readonly pauseAfter: {
    readonly requestId: string
    readonly actor: string | null
    readonly isActorClaimed?: true
    /** No call with the id of the approval was open, as for a question of an MCP server during its call. */
    readonly isOfNoCall?: true
  } | null
  /** Somebody put the session away; a prompt takes it out again. */
  readonly isArchived: boolean
  /** The end of the last turn; null during a turn. A background session that has ended keeps it. */
  readonly lastTurnStatus: 'completed' | 'failed' | 'cancelled' | null
  readonly endedAt: number | null
  /** How often the current or last turn started from the beginning. */
  readonly attempts: number
  readonly lastError: string | null
  /** Open calls of the current attempt. */
  readonly tools: { readonly [toolCallId: string]: OpenToolCall }
  /** Steering prompts that the runner does not have yet. */
  readonly steers: readonly SteeringPrompt[]
  /** The newest resume handle of each turn: of its end, or of the furthest point reached. */
  readonly handles: readonly { readonly runId: string; readonly handle: string }[]
}

/** A prompt for the run in progress. */
export interface SteeringPrompt {
  readonly messageId: string
  readonly text: string
  readonly input?: Json
}

/** A prompt and the run it becomes share one id. */
export interface Prompt extends SteeringPrompt {
  readonly runId: string
  /** In a branch: the run of the parent whose turn this one continues. */
  readonly continuesRun?: string
  /** A person said it; absent = it was written. */
  readonly spoken?: true
}

export interface Run extends Prompt {
  /** A new number for each start: it distinguishes runners and frames. */
  readonly attempt: number
  /** The attempt that this one continues; null: it started from the beginning. */
  readonly continues: number | null
  /** Characters of the answer that the continued attempts wrote. */
  readonly keptChars: number
  /** A retry is scheduled: the next attempt starts from the beginning, and counts. */
  readonly retrying: boolean
  readonly parkReason: (typeof PARK_REASONS)[number] | null
  /** When stopped, the runner reports a handle from which the next attempt continues. */
  readonly resumable: boolean
  /** Any owner continues the run from the log, in the middle of its turn. */
  readonly durable: boolean
  /** The log was imported, and facts by which the run could be continued stayed behind: it can only begin again. */
  readonly lacksFacts?: true
  /**
   * requested: a runner should start it. started: a runner has it. cancelling: it is being stopped for good. parked: stopped
   * and kept. waiting: failed, with a retry at `retryAt`.
   */
  readonly phase: 'requested' | 'started' | 'cancelling' | 'parked' | 'waiting'
  /** The time of an abort that the runner has not confirmed. */
  readonly stopRequestedAt: number | null
  /** The run waits for a free sandbox; the process that owns the session tries again. */
  readonly awaitsSandbox?: boolean
  readonly retryAt: number | null
  /** The status with which the run ends when its runner has stopped. */
  readonly failure: { readonly message: string; readonly reason: string } | null
  /** Last committed frame of this attempt. */
  readonly frame: number
  readonly handle: Json
  readonly resume: string | null
  readonly steerable: boolean
  readonly hasOutput: boolean
  /** The runner has told a resume handle in this attempt, and the log has no text and no call behind it. */
  readonly isAtHandle?: boolean
  /** The runner has reported its whole response. */
  readonly hasResponse: boolean
}

export interface OpenToolCall {
  readonly name: string
  readonly effect: 'pure' | 'idempotent' | 'unsafe'
  /** The subagent that makes the call; absent = the agent of the session. */
  readonly agentId?: string
  /** The call declares no effect; absent = it declares this one. */
  readonly isUndeclared?: true
}
