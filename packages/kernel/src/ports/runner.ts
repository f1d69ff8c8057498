// A runner does the work of a run. It gets a job and a reporter, and reports everything through the reporter.

import type { RunnerApprovalKind } from '@bridle/events/approval-kinds'
import type { Json, JsonObject } from '@bridle/events/json'
import type { ApprovalDecision } from '@bridle/events/schemas'
import type { TextMark } from '../commands.ts'
import type { EngineIdentity } from '../engine-info.ts'
import type { Key } from '../event.ts'
import type { Approval } from '../projections/approvals.ts'
import type { OpenToolCall, SteeringPrompt } from '../projections/lifecycle-state.ts'
import type { CachedValue, RunReporter } from '../session/run-reporter.ts'

/** An attempt of a run. Its identity is (key, runId, attempt): a runner that has the attempt already does not start it twice. */
export interface Job {
  readonly key: Key
  readonly runId: string
  readonly attempt: number
  readonly prompt: string
  readonly input: Json
  /** How the engine continues from the turn before. */
  readonly resume: string | null
  /** The attempt continues in the middle of its turn, from `resume`. Absent = the turn starts from nothing. */
  readonly continues?: {
    /** The answer so far ends within a paragraph. */
    readonly isMidText: boolean
    /** The length of the answer so far. A resume handle from earlier in the turn covers less of it. */
    readonly keptChars: number
  }
  /** The session that a branch leaves, whose turns come before the branch's; null = the session is no branch. */
  readonly parent: Key | null
  /** The settings that the session was opened with: model, permission_mode ... */
  readonly settings: JsonObject
  /** A person has said the prompt; absent: it was written. */
  readonly spoken?: true
  /** The session is background work: people read of its steps afterwards. */
  readonly isBackground?: boolean
  /** How many sessions above this one wait for it; absent: none. */
  readonly depth?: number
  /** The epoch of the session's owner; a runner refuses a lower one than it has seen. */
  readonly epoch: number
  /** The place where the attempt runs, as its `started` report named it. */
  readonly handle: Json
  /** The last committed frame; an attach continues after it. */
  readonly frame: number
  /** Tool calls whose approval is open or whose answer is on its way: the job waits there. */
  readonly awaiting: readonly string[]
  /** The log says that the attempt waits for a sandbox: no sandbox has run any part of it. */
  readonly awaitsSandbox?: boolean
  /** The standing of a durable run, as far as the log says. */
  readonly course?: RunCourse
}

/** Where a durable run stands. The runner continues from here and from the log; nothing else tells it of answers and prompts. */
export interface RunCourse {
  /** Calls without an outcome: a call that no approval waits for has begun. */
  readonly calls: { readonly [toolCallId: string]: OpenToolCall }
  /** Open questions of the run. */
  readonly open: readonly Approval[]
  /** Answers that the runner has not used yet. It uses one with `approval_delivered`. */
  readonly answers: readonly ApprovalAnswer[]
  /** Steering prompts that the model has not seen yet. The runner uses one with `steer_delivered`. */
  readonly steers: readonly SteeringPrompt[]
  /** The place in the answer after the last finished step: a step that was cut off wrote what follows. */
  readonly kept: TextMark
  /** The place at the end of the answer. */
  readonly written: TextMark
  /** The first event that a reader of the conversation needs: older ones are in a summary at most. 0: all of them. */
  readonly since: number
  /** The last event of the log. */
  readonly head: number
  /** The run of the parent session whose turn this run of a branch continues. */
  readonly continuesRun?: string
}

export interface ApprovalAnswer {
  readonly requestId: string
  readonly toolCallId: string
  readonly decision: ApprovalDecision
  /** An answered question has its `answers` or `values` among them. */
  readonly arguments: JsonObject
  /** The executor checks that the call it runs has this digest. */
  readonly approvedDigest: string | null
  readonly reason: string | null
  /** The session refused the request itself: no person was asked. `reason` says why. */
  readonly isRefused?: true
  /** Absent: an approval of a tool call. */
  readonly kind?: RunnerApprovalKind | 'unknown_outcome'
}

/** A call that waits for an approval, with the arguments that a person wrote in place of the runner's. */
export interface EditedCall {
  readonly key: Key
  readonly toolCallId: string
  readonly tool: string
  readonly arguments: JsonObject
  /** The settings that the session was opened with. */
  readonly settings: JsonObject
  /** The values that runs of the session keep in memory. */
  readonly cache: ReadonlyMap<string, CachedValue>
}

/**
 * done: a terminal report was made, or the job was aborted. cut: the stream broke and the run may still be at work: attach again.
 * lost: the run is gone. waiting: the run reported `waiting`, and the session has let go of it.
 */
export type RunEnd = 'done' | 'cut' | 'lost' | 'waiting'

export interface Runner {
  /** For the status card; absent = the card names the agent as the engine, in this process. */
  readonly identity?: EngineIdentity
  /** Reports `started` and awaits it before any work: a run that is not in the log has not begun. */
  start(job: Job, reporter: RunReporter): Promise<RunEnd>
  /** Takes up a run that an earlier owner started. */
  attach(job: Job, reporter: RunReporter): Promise<RunEnd>
  /** Resolves when the attempt has stopped, to the handle from which the engine can continue, or null. Idempotent. */
  abort(job: Job): Promise<string | null>
  /**
   * Resolves when the runner has the answer; idempotent by request id. Absent = the runner follows the log of its runs, takes answers from
   * there and reports `approval_delivered` itself.
   */
  answer?(job: Job, answer: ApprovalAnswer): Promise<void>
  /** Whether another process can take the run up with `attach` when this one ends. Absent = no. */
  outlivesProcess?(job: Job): boolean
  /**
   * The process is about to end: a durable run begins nothing new, and what it has begun ends and is reported. Resolves then; the
   * next process continues the run with `attach`.
   */
  rest?(job: Job): Promise<void>
  /** Deletes everything that the runner keeps for a session that was removed. */
  forget?(key: Key): Promise<void>
  /** Stops one piece of delegated work and leaves the rest of the run alone. False = the engine cannot, or has no such work. */
  stopTask?(job: Job, taskId: string): Promise<boolean>
  /**
   * Says as a sentence why edited arguments do not fit the tool. Null = they fit, or the schema of the tool is not known here; absent = the
   * runner knows no schemas.
   */
  checkArguments?(call: EditedCall): Promise<string | null>
  steer?(job: Job, message: SteeringPrompt): Promise<void>
}
