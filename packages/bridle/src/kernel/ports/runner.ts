// Who does the work. A runner gets a job and an outlet, and says everything through the outlet.
import type { EngineIdentity } from '../engine-info.ts'
import type { Key } from '../event.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ApprovalDecision } from '../schemas.ts'
import type { RunReporter } from '../session/run-reporter.ts'

/** One attempt of a run. Its identity is (key, runId, attempt); a runner that has it already does not start it twice. */
export interface Job {
  readonly key: Key
  readonly runId: string
  readonly attempt: number
  readonly prompt: string
  readonly input: Json
  /** How the engine continues from the turn before. */
  readonly resume: string | null
  /** The run goes on in the middle of its turn, from `resume`. Absent = the turn starts from nothing. */
  readonly continues?: {
    /** The answer so far ends within a paragraph. */
    readonly isMidText: boolean
    /** The length of the answer so far. A handle that was noted early knows less than that. */
    readonly keptChars: number
  }
  /** Of a branch: the session whose turns came before its own. */
  readonly parent: Key | null
  /** What the session was opened with: model, permission_mode ... */
  readonly settings: JsonObject
  /** Of the owner who asks; a runner refuses a lower one than it has seen. */
  readonly epoch: number
  /** What `started` said of where it runs. */
  readonly handle: Json
  /** The last committed frame; re-attaching goes on behind it. */
  readonly frame: number
  /** Tool calls whose approval is open or whose answer is on its way: the job waits there. */
  readonly awaiting: readonly string[]
  /** The log says that it waits for a sandbox: none has played anything of it. */
  readonly awaitsSandbox?: boolean
}

export interface ApprovalAnswer {
  readonly requestId: string
  readonly toolCallId: string
  readonly decision: ApprovalDecision
  readonly arguments: JsonObject
  /** The executor checks that what it runs has this digest. */
  readonly approvedDigest: string | null
  readonly reason: string | null
}

/**
 * done: a terminal report was made, or the job was aborted. cut: the stream broke, the run may go on; re-attach.
 * lost: the run is gone.
 */
export type RunEnd = 'done' | 'cut' | 'lost'

export interface Runner {
  /** For the status card; absent = the agent counts as its own engine, in this process. */
  readonly identity?: EngineIdentity
  /** Reports `started` and awaits it before anything else: what is not in the log has not begun. */
  start(job: Job, outlet: RunReporter): Promise<RunEnd>
  /** Takes up a run that was started by an owner who is gone. */
  attach(job: Job, outlet: RunReporter): Promise<RunEnd>
  /** Resolves when the attempt has stopped: to how the engine goes on from there, where it can. Idempotent. */
  abort(job: Job): Promise<string | null>
  /** Resolves when the runner has the answer; idempotent by request id. */
  answer(job: Job, answer: ApprovalAnswer): Promise<void>
  /** Whether another process can take the run up with `attach` when this one ends. Absent = no. */
  outlivesProcess?(job: Job): boolean
  /** The session was removed: what was kept for it goes too. */
  forget?(key: Key): Promise<void>
  /** Stops one piece of delegated work and leaves the rest of the run alone. False = the engine cannot, or has no such work. */
  stopTask?(job: Job, taskId: string): Promise<boolean>
  steer?(job: Job, message: { readonly messageId: string; readonly text: string }): Promise<void>
}
