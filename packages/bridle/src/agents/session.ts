// The interface between an agent's `run` function and its session. Every call appends to the log, and clients see only the log.
import type { BridleEventType, EventType, VisibleEventType } from '../kernel/catalogue.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Payloads } from '../kernel/schemas.ts'
import type { StandardSchema } from './standard-schema.ts'

/** The session as its agent sees it. Every call is in the log before any client sees it. */
export interface AgentSession {
  /** The session's id. */
  readonly id: string
  /** Streams a piece of the answer. Await it, so that a slow store slows the agent down and no text piles up. */
  text(chunk: string): Promise<void>
  /** Streams a piece of a thought, which is shown apart from the answer. */
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
  /** Marks a point that the session can continue from, with a summary of the work. */
  checkpoint(summary: string): Promise<void>
  /** Publishes a text beside the answer. The kind `memory_proposal` marks a note that the agent would like to remember. */
  artifact(name: string, text: string, contentType?: string, kind?: string): Promise<void>
  /** Reports tokens and cost. Budgets count them, and a run over a budget is stopped before its next step. */
  usage(spent: UsageReport): Promise<void>
  /** Appends an event of the catalogue that an agent may emit; the payload is checked. */
  emit<T extends EmittableEventType>(type: T, payload: Payloads[T]): Promise<void>
  /** Appends a custom event. Its name is not in the catalogue: letters, digits and `. _ : -`; its payload has at most 64,000 characters of JSON. */
  emit<T extends string>(type: T extends EventType ? never : T, payload: JsonObject): Promise<void>
}

/** A tool call as its `execute` function sees it. */
export interface ToolContext {
  /** Aborts when the run is cancelled, and when the call takes longer than its timeout. */
  readonly signal: AbortSignal
  /** The same in every attempt of the run: pass it to other services as an idempotency key. */
  readonly stepKey: string
}

/** Settings of one tool call: its id, its effect, its approval, its schema and its time limit. */
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

/** A question to a person that is not a tool call. */
export interface ApprovalQuestion {
  /** The thing to be approved, in a word or two. */
  readonly subject: string
  /** The details that the person sees and may change. */
  readonly args?: JsonObject
  /** The reason that the person reads. */
  readonly reason: string
  /** The time that the person has; afterwards the decision is `expired`. Default: no limit. */
  readonly expiresMs?: number
}

/** A person's answer to a question. */
export interface ApprovalOutcome {
  /** True where the person approved. */
  readonly approved: boolean
  /** The answer: approved, denied, or expired where nobody answered in time. */
  readonly decision: 'approved' | 'denied' | 'expired'
  /** The approved arguments, which a person may have edited. */
  readonly args: JsonObject
  /** The person's own words; null where there are none. */
  readonly reason: string | null
}

/** Tokens and cost that a run has used since its last report. */
export interface UsageReport {
  /** Tokens that the model read. */
  readonly inputTokens?: number
  /** Tokens that the model wrote. */
  readonly outputTokens?: number
  /** All tokens, where the two are not known apart. */
  readonly totalTokens?: number
  /** The cost in US dollars. */
  readonly costUsd?: number
  /** The share of the model's context that is in use, from 0 to 100. */
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
