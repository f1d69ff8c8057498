// What a run may do. Small on purpose: every call is an entry in the log, and nothing is shown that is not there.
import type { BridleEventType, EventType, VisibleEventType } from '../kernel/catalogue.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Payloads } from '../kernel/schemas.ts'
import type { StandardSchema } from './standard-schema.ts'

export interface AgentSession {
  readonly id: string
  /** Streams a piece of the answer. Await it: then a slow store slows the agent, and nothing piles up. */
  text(chunk: string): Promise<void>
  thinking(text: string): Promise<void>
  /**
   * Runs a tool: the call is in the log before `execute` begins, its result and outcome before this resolves.
   * Rejects with what `execute` threw, with ToolTimeout, or with ToolDenied.
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
  /** Of kind `memory_proposal` it is something the agent would like to remember. */
  artifact(name: string, text: string, contentType?: string, kind?: string): Promise<void>
  usage(spent: UsageReport): Promise<void>
  /** Any event that an agent may say, checked against the catalogue. */
  emit<T extends EmittableEventType>(type: T, payload: Payloads[T]): Promise<void>
  /** An event of your own, by a name that is none of ours: letters, digits and `. _ : -`, with at most 64,000 characters of JSON. */
  emit<T extends string>(type: T extends EventType ? never : T, payload: JsonObject): Promise<void>
}

export interface ToolContext {
  /** Aborted when the run is cancelled, and when the call has taken longer than it may. */
  readonly signal: AbortSignal
  /** The same for this call in every attempt of the run: hand it to the outside as an idempotency key. */
  readonly stepKey: string
}

export interface ToolOptions<Args> {
  /** Unique in its run; default `call-<n>` by order. */
  readonly id?: string
  /** What a crash in mid-call leaves unknown; default unsafe: never repeated unasked. */
  readonly effect?: 'pure' | 'idempotent' | 'unsafe'
  /** Wait for a person first. The person may change the arguments. */
  readonly approve?: boolean | { readonly reason?: string; readonly expiresMs?: number }
  /** Checks the arguments that `execute` gets, edited ones too. */
  readonly input?: StandardSchema<unknown, Args>
  /** How long `execute` may take; waiting for approval does not count. */
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
  /** As approved, so perhaps edited. */
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

/** What is shown and not decided by the session itself. */
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
