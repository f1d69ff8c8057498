// The interface between an agent's `run` function and its session. Every call appends to the log, and clients see only the log.
import type { BridleEventType, EventType, VisibleEventType } from '../kernel/catalogue.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Payloads } from '../kernel/schemas.ts'
import type { StandardSchema } from './standard-schema.ts'

export interface AgentSession {
  readonly id: string
  /** Streams a piece of the answer. Await it, so that a slow store slows the agent down and no text piles up. */
  text(chunk: string): Promise<void>
  thinking(text: string): Promise<void>
  /**
   * Runs a tool. The call is in the log before `execute` begins; its result and outcome are there before the promise resolves.
   * Rejects with the error of `execute`, with ToolTimeout, or with ToolDenied.
   */
  tool<Args extends object, Result>(
    name: string,
    args: Args,
    execute: (args: Args, context: ToolContext) => Result | Promise<Result>,
    options?: ToolOptions<Args>,
  ): Promise<Result>
  /** Asks a person something that is not a tool call, and waits. Denied and expired are answers, not errors. */
  approval(question: ApprovalQuestion): Promise<ApprovalOutcome>
  checkpoint(summary: string): Promise<void>
  /** Publishes a text beside the answer. The kind `memory_proposal` marks a note that the agent would like to remember. */
  artifact(name: string, text: string, contentType?: string, kind?: string): Promise<void>
  usage(spent: UsageReport): Promise<void>
  /** Appends an event of the catalogue that an agent may emit; the payload is checked. */
  emit<T extends EmittableEventType>(type: T, payload: Payloads[T]): Promise<void>
  /** Appends a custom event. Its name is not in the catalogue: letters, digits and `. _ : -`; its payload has at most 64,000 characters of JSON. */
  emit<T extends string>(type: T extends EventType ? never : T, payload: JsonObject): Promise<void>
}

export interface ToolContext {
  /** Aborts when the run is cancelled, and when the call takes longer than its timeout. */
  readonly signal: AbortSignal
  /** The same in every attempt of the run: pass it to other services as an idempotency key. */
  readonly stepKey: string
}

export interface ToolOptions<Args> {
  /** Unique within the run; default `call-<n>`, counted in order. */
  readonly id?: string
  /** Whether the call may be repeated after a crash in the middle of it; default unsafe: only after a person agrees. */
  readonly effect?: 'pure' | 'idempotent' | 'unsafe'
  /** Waits for a person's approval first. The person may edit the arguments. */
  readonly approve?: boolean | { readonly reason?: string; readonly expiresMs?: number }
  /** Validates the arguments that `execute` receives, also edited ones. */
  readonly input?: StandardSchema<unknown, Args>
  /** Time for `execute`; waiting for approval does not count. */
  readonly timeoutMs?: number
}

export interface ApprovalQuestion {
  readonly subject: string
  readonly args?: JsonObject
  readonly reason: string
  readonly expiresMs?: number
}

export interface ApprovalOutcome {
  readonly approved: boolean
  readonly decision: 'approved' | 'denied' | 'expired'
  /** The approved arguments, which a person may have edited. */
  readonly args: JsonObject
  readonly reason: string | null
}

export interface UsageReport {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly costUsd?: number
  readonly contextUsagePct?: number
}

/** Events that clients see and that the session does not append itself. */
export type EmittableEventType = Exclude<
  VisibleEventType,
  | 'session'
  | 'session_state'
  | 'turn_start'
  | 'approval_required'
  | 'approval_applied'
  | 'turn_end'
  | 'completed'
  | 'error'
  | BridleEventType
>
