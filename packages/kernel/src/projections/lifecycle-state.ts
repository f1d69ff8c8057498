import type { Json, JsonObject } from '@bridle/events/json'
import type { PARK_REASONS, Policy } from '@bridle/events/schemas'
import type { TaskDelegation } from '../commands.ts'
import type { BranchParent } from '../ports/log.ts'

export interface Lifecycle {
  readonly created: boolean
  /** Cursors below the first event belong to a deleted session with the same id. */
  readonly firstSeq: number
  readonly kind: 'chat' | 'background'
  /** The owner according to the log; an id that names a user overrides it (`ownerOf`). */
  readonly owner: string | null
  readonly title: string
  readonly createdAt: number
  readonly settings: JsonObject
  readonly sandbox: { readonly mode: string; readonly isolation: string } | null
  /** The last run's: the model that was asked, then the one that answers. `isFallback`: not the agent's first model. */
  readonly runtime: {
    readonly provider: string | null
    readonly model: string | null
    readonly isFallback?: true
    readonly hasAnswered?: true
  }
  readonly maxRetries: number
  readonly expiresAt: number | null
  readonly policy: Policy
  readonly parent: BranchParent | null
  readonly parentSessionId: string | null
  /** The status for the parent, and the event that set it. Null if there is no parent to notify. */
  readonly reportedStatus: { readonly status: string; readonly seq: number; readonly steps?: number } | null
  /** The last status that the parent has received. */
  readonly parentNotifiedSeq: number
  /** Set if the session works on a task of its parent's run. */
  readonly delegation: TaskDelegation | null
  readonly branch: { readonly sourceEventId: string; readonly resumeCursor: string } | null
  readonly importedSeq: number | null
  /** The last imported event, here or in an ancestor; 0 if none. Branches at or before it are branches of imported history. */
  readonly claimedSeq: number
  readonly queue: readonly Prompt[]
  readonly run: Run | null
  readonly paused: boolean
  /** The session pauses once the call of this approval has an outcome. */
  readonly pauseAfter: {
    readonly requestId: string
    readonly actor: string | null
    readonly isActorClaimed?: true
    /** No call with the approval's id was open, as for questions of an MCP server. */
    readonly isOfNoCall?: true
  } | null
  /** A prompt unarchives the session. */
  readonly isArchived: boolean
  /** Null during a turn. Background sessions that have ended keep it. */
  readonly lastTurnStatus: 'completed' | 'failed' | 'cancelled' | null
  readonly endedAt: number | null
  /** How many times the current or last turn has started from the beginning. */
  readonly attempts: number
  readonly lastError: string | null
  readonly tools: { readonly [toolCallId: string]: OpenToolCall }
  /** Not yet delivered to the runner. */
  readonly steers: readonly SteeringPrompt[]
  /** The newest resume handle of each turn. */
  readonly handles: readonly { readonly runId: string; readonly handle: string }[]
}

export interface SteeringPrompt {
  readonly messageId: string
  readonly text: string
  readonly input?: Json
}

/** The prompt and its run share one id. */
export interface Prompt extends SteeringPrompt {
  readonly runId: string
  readonly continuesRun?: string
  readonly spoken?: true
}

export interface Run extends Prompt {
  /** Increases with every start, which tells runners and frames apart. */
  readonly attempt: number
  /** The attempt that this one continues. Null: started from the beginning. */
  readonly continues: number | null
  readonly keptChars: number
  /** A retry is scheduled. It starts from the beginning and counts as an attempt. */
  readonly retrying: boolean
  readonly parkReason: (typeof PARK_REASONS)[number] | null
  readonly resumable: boolean
  readonly durable: boolean
  /** The import left out facts needed to continue the run, so it can only start over. */
  readonly lacksFacts?: true
  /** requested: to be started. started: a runner has it. cancelling: stopping for good. parked: kept. waiting: until `retryAt`. */
  readonly phase: 'requested' | 'started' | 'cancelling' | 'parked' | 'waiting'
  /** Set while the runner has not confirmed an abort. */
  readonly stopRequestedAt: number | null
  /** No sandbox is free; the session's process retries. */
  readonly awaitsSandbox?: boolean
  readonly retryAt: number | null
  /** How the run ends once its runner has stopped. */
  readonly failure: { readonly message: string; readonly reason: string } | null
  readonly frame: number
  readonly handle: Json
  readonly resume: string | null
  readonly steerable: boolean
  readonly hasOutput: boolean
  /** The log has no text or call after the attempt's last resume handle. */
  readonly isAtHandle?: boolean
  readonly hasResponse: boolean
}

export interface OpenToolCall {
  readonly name: string
  readonly effect: 'pure' | 'idempotent' | 'unsafe'
  /** The calling subagent. Absent: the session's agent. */
  readonly agentId?: string
  /** `effect` is assumed, not declared. */
  readonly isUndeclared?: true
  /** The server makes the call for the engine. */
  readonly served?: true
}
