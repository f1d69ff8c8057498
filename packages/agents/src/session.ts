// The interface between an agent's `run` function and its session. Every call appends to the log, and clients see only the log.
import type { BridleEventType, EventType, VisibleEventType } from '@bridle/events/catalogue'
import type { Json, JsonObject } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import type { Directive } from '@bridle/kernel/directive'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import type { InputOf, OutputOf, StandardSchema } from './schemas/standard-schema.ts'
import type { AnswersTo, FormSchema, QuestionInput, QuestionOutcome, QuestionSettings } from './session/questions.ts'

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
  /**
   * Asks a person questions, each with choices, with free text, or with both, and waits. `answers` has the label or the text by the id
   * of each question. Declined and expired are answers, not errors. A malformed request is a TypeError, and nothing is asked.
   */
  ask<const Questions extends readonly QuestionInput[]>(
    questions: Questions,
    options?: QuestionSettings<AnswersTo<Questions>>,
  ): Promise<QuestionOutcome<{ readonly answers: AnswersTo<Questions> }>>
  /** Asks a person to fill in a form, and waits. The fields follow from a Standard Schema, and `values` are its output. */
  ask<Form extends StandardSchema<object, unknown>>(
    form: Form,
    options?: QuestionSettings<InputOf<Form>>,
  ): Promise<QuestionOutcome<{ readonly values: OutputOf<Form> }>>
  /** Asks a person to fill in a form, given as JSON Schema, and waits. */
  ask<Values extends object = JsonObject>(
    form: FormSchema,
    options?: QuestionSettings<Values>,
  ): Promise<QuestionOutcome<{ readonly values: Values }>>
  /**
   * Does something once. Until its result is in the log the step may run more than once; afterwards it never runs again, and every
   * later attempt of the run gets the result from the log. The result is JSON, and is returned as a copy each time. An error is
   * kept too, unless it has `transient: true` and the run is tried again. Pick `tool` for what must not happen twice.
   */
  step<T>(name: string, work: (context: StepContext) => T | Promise<T>): Promise<T>
  /** Waits. A longer wait costs nothing: the run lets go of its process, and the time counts from the first call. */
  sleep(name: string, ms: number): Promise<void>
  /**
   * Waits for the next signal of this name, also one that came earlier in the run, and resolves to its payload. Null: none came in
   * time. The command `signal` of every wire sends one.
   */
  waitFor<T = Json>(name: string, options?: WaitOptions): Promise<T | null>
  /** The conversation of this branch before the answer of this run. The last message is the prompt that the run answers. */
  messages(): Promise<readonly HarnessMessage[]>
  /** Small values that outlive the turn. */
  readonly memory: SessionMemory
  /** Marks a point that the session can continue from, with a summary of the work. */
  checkpoint(summary: string): Promise<void>
  /** Publishes a text beside the answer. One of the kind `memory_proposal` is a proposal for the memory, as `memory.propose` makes it. */
  artifact(name: string, text: string, contentType?: string, kind?: string): Promise<void>
  /** Tells the shell to render or to execute something. Rejects with the name of the field that is wrong. */
  directive(directive: Directive): Promise<void>
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

/** A step as its function sees it. */
export interface StepContext {
  /** Aborts when the run is cancelled, and when it ends. */
  readonly signal: AbortSignal
  /** The same in every attempt of the run: pass it to other services as an idempotency key. */
  readonly stepKey: string
}

/** Settings of a wait for a signal. */
export interface WaitOptions {
  /** The time that the signal has; afterwards the answer is null. Default: no limit. */
  readonly expiresMs?: number
}

/**
 * The memory of a session: at most 256 values of 8,000 characters of JSON. A durable function sees it as it was when its run began,
 * with its own changes.
 */
export interface SessionMemory {
  /** The value of a key; null where there is none, or where it has expired. */
  get<T = Json>(key: string): Promise<T | null>
  /** Keeps a JSON value; null deletes it. With `ttlMs` it is forgotten after that time. */
  set(key: string, value: unknown, options?: { readonly ttlMs?: number }): Promise<void>
  /** The keys, sorted. */
  list(): Promise<readonly string[]>
  /** Forgets a key. */
  delete(key: string): Promise<void>
  /**
   * Proposes a value, or with null that the key be forgotten. A person accepts or rejects it: `POST /sessions/:id/memory/:proposalId`.
   * Only an accepted value is in the memory, from the next turn on.
   */
  propose(key: string, value: unknown, options?: { readonly reason?: string }): Promise<void>
}

/** Settings of one tool call: its id, its effect, its approval, its schema and its time limit. */
export interface ToolOptions<Args> {
  /**
   * Names the call, for example by the order that it pays; default: the name of the tool. Calls of one id with other arguments are
   * numbered: `pay`, `pay#2`. With `durable: false` an id is used once, and the default is `call-<n>`.
   */
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
