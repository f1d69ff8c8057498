import type { RunnerApprovalKind } from '@bridle/events/approval-kinds'
import type { Json, JsonObject } from '@bridle/events/json'
import type { ApprovalDecision } from '@bridle/events/schemas'
import type { TextMark } from '../commands.ts'
import type { EngineIdentity } from '../engine-info.ts'
import type { Key } from '../event.ts'
import type { Approval } from '../projections/approvals.ts'
import type { OpenToolCall, SteeringPrompt } from '../projections/lifecycle-state.ts'
import type { CachedValue, RunReporter } from '../session/run-reporter.ts'

/** An attempt of a run, identified by (key, runId, attempt). A runner never starts the same attempt twice. */
export interface Job {
  readonly key: Key
  readonly runId: string
  readonly attempt: number
  readonly prompt: string
  readonly input: Json
  /** Handle from which the engine continues the conversation. */
  readonly resume: string | null
  /** Set if the attempt continues mid-turn, from `resume`. */
  readonly continues?: {
    readonly isMidText: boolean
    /** Length of the answer so far. Older resume handles cover less of it. */
    readonly keptChars: number
  }
  /** The session that a branch continues. Null if the session is not a branch. */
  readonly parent: Key | null
  /** Settings from the creation of the session, such as `model`. */
  readonly settings: JsonObject
  readonly spoken?: true
  /** People read the steps of background work afterwards. */
  readonly isBackground?: boolean
  /** Number of sessions above this one that wait for it. */
  readonly depth?: number
  /** The owner's epoch. A runner refuses a lower one than it has seen. */
  readonly epoch: number
  /** Where the attempt runs, as its `started` report named it. */
  readonly handle: Json
  /** The last committed frame; `attach` continues after it. */
  readonly frame: number
  /** Tool calls whose approval is open or whose answer is not delivered. */
  readonly awaiting: readonly string[]
  /** Waiting for a sandbox: no part of the attempt has run. */
  readonly awaitsSandbox?: boolean
  /** Progress of a durable run, according to the log. */
  readonly course?: RunCourse
}

/** The runner continues from here and follows the log; it is not notified of answers and prompts in any other way. */
export interface RunCourse {
  /** Calls without an outcome. Those without an open approval have started. */
  readonly calls: { readonly [toolCallId: string]: OpenToolCall }
  readonly open: readonly Approval[]
  /** Answers not yet acknowledged with `approval_delivered`. */
  readonly answers: readonly ApprovalAnswer[]
  /** Steering prompts not yet acknowledged with `steer_delivered`. */
  readonly steers: readonly SteeringPrompt[]
  /** End of the last finished step. Later text belongs to an interrupted step. */
  readonly kept: TextMark
  /** End of the answer. */
  readonly written: TextMark
  /** The first event needed to read the conversation: a summary covers older ones. 0: all events. */
  readonly since: number
  readonly head: number
  /** The parent's run, if this run of a branch continues its turn. */
  readonly continuesRun?: string
}

export interface ApprovalAnswer {
  readonly requestId: string
  readonly toolCallId: string
  readonly decision: ApprovalDecision
  /** Including the `answers` or `values` of a question. */
  readonly arguments: JsonObject
  /** The executor verifies that the call has this digest. */
  readonly approvedDigest: string | null
  readonly reason: string | null
  /** The session itself refused the request without asking a person; see `reason`. */
  readonly isRefused?: true
  /** Absent: a tool approval. */
  readonly kind?: RunnerApprovalKind | 'unknown_outcome'
}

/** A call that waits for approval, with arguments that a person edited. */
export interface EditedCall {
  readonly key: Key
  readonly toolCallId: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly settings: JsonObject
  /** Values that the session's runs keep in memory. */
  readonly cache: ReadonlyMap<string, CachedValue>
}

/** done: ended with a report, or aborted. cut: the stream broke, so reattach. lost: the run is gone. waiting: released until news. */
export type RunEnd = 'done' | 'cut' | 'lost' | 'waiting'

export interface Runner {
  /** For the status card. Absent: shown as an in-process engine named after the agent. */
  readonly identity?: EngineIdentity
  /** Awaits its `started` report before any work: a run that is not in the log has not begun. */
  start(job: Job, reporter: RunReporter): Promise<RunEnd>
  /** Continues a run that an earlier owner started. */
  attach(job: Job, reporter: RunReporter): Promise<RunEnd>
  /** Resolves when the attempt has stopped, with a resume handle or null. Idempotent. */
  abort(job: Job): Promise<string | null>
  /** Idempotent by request id. Absent: the runner follows its log for answers and reports `approval_delivered` itself. */
  answer?(job: Job, answer: ApprovalAnswer): Promise<void>
  /** Whether another process can `attach` to the run after this one ends. Absent: no. */
  outlivesProcess?(job: Job): boolean
  /** The process is about to end: finish and report the current work, start nothing. The next process attaches to the run. */
  rest?(job: Job): Promise<void>
  /** Deletes everything kept for a removed session. */
  forget?(key: Key): Promise<void>
  /** Stops one delegated task; the run continues. False if the engine cannot or has no such task. */
  stopTask?(job: Job, taskId: string): Promise<boolean>
  /** Why edited arguments do not fit the tool, as a sentence. Null if they fit or the schema is unknown. */
  checkArguments?(call: EditedCall): Promise<string | null>
  steer?(job: Job, message: SteeringPrompt): Promise<void>
}
