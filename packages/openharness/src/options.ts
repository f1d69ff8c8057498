// The options and results of a shell.
import type { JsonObject } from '@bridle/events/json'
import type {
  ActionDirective,
  AuthReferences,
  Continuation,
  ErrorObject,
  ResponseMessage,
  ShellIdentity,
} from '@bridle/wire/openharness/wire'
import type { ApprovalThreshold, Approver } from './approvals.ts'
import type { RequestApprovalPayload } from './core-payloads.ts'
import type { DirectiveFeedback, ShellTelemetry } from './feedback.ts'
import type { ShellAttachment } from './files/shell-file.ts'
import type { ShellHandlers } from './handlers.ts'
import type { ShellEnvironment, ShellTaskHint } from './messages/request.ts'
import type { ShellTransport } from './transport.ts'

/** Options of `createShell`. */
export interface ShellOptions {
  /** Carries requests to the engine, such as `httpTransport({ url })`. */
  readonly transport: ShellTransport
  /** The functions that do what directives say, by action type. */
  readonly handlers: ShellHandlers
  /** Asks the user before a directive that needs approval. Without it, such a directive is never executed. */
  readonly approve?: Approver
  /** The lowest risk tier that needs approval even where a directive does not ask for it. Default: `dangerous`. */
  readonly approvalFrom?: ApprovalThreshold
  /** The kind of the shell, its version, locale and time zone. */
  readonly identity?: ShellIdentity
  /** References to an identity that the transport establishes. Other fields are not sent. */
  readonly auth?: AuthReferences
  /** The session to continue. Default: a new one. */
  readonly sessionId?: string
  /** The conversation within the session. */
  readonly conversationId?: string
  /** The state of the device, or a function that reads it for each request. */
  readonly environment?: ShellEnvironment | (() => ShellEnvironment | Promise<ShellEnvironment>)
  /** Capabilities beside those that follow from the other options; false withdraws one of these. */
  readonly capabilities?: JsonObject
  /** False executes directives one at a time, whatever they say. Default: true. */
  readonly parallel?: boolean
  /** The time for a handler whose directive has no earlier deadline. Default: one minute. */
  readonly handlerTimeoutMs?: number
  /**
   * Called with the directives of a response while it still comes: asks the engine for `openharness.streaming`. Show them if you like;
   * the handlers get them once, when the response is whole.
   */
  readonly onPartial?: (partial: PartialResponse) => void
  /** Called with the end of each directive. */
  readonly onFeedback?: (feedback: DirectiveFeedback) => void
  /** Called with diagnostic events. */
  readonly onTelemetry?: (event: ShellTelemetry) => void
}

/** A response that still comes. */
export interface PartialResponse {
  /** The request that it answers. */
  readonly request_id: string
  /** All directives so far, in order. One that an earlier call had and this one lacks was withdrawn. */
  readonly action_directives: readonly ActionDirective[]
}

/** Options of one turn. */
export interface TurnOptions {
  /** The idempotency key. Give that of an earlier turn to ask for its response again. Default: a new one. */
  readonly requestId?: string
  /** An id for tracing. Default: a new one for each turn. */
  readonly correlationId?: string
  /** Hints for routing: an agent, a SOP, business keys. */
  readonly taskHint?: ShellTaskHint
  /** Files: references, or a `Blob`, a `File` or bytes, which the transport uploads first. */
  readonly attachments?: readonly ShellAttachment[]
  /** Data of vendors, by reverse-DNS names. */
  readonly extensions?: JsonObject
  /** Ends the turn: no further directive begins. */
  readonly signal?: AbortSignal
}

/** Options of `resume`. */
export interface ResumeOptions extends TurnOptions {
  /** The user's words for the engine, such as the label of the chosen option. */
  readonly intent?: string
}

/** Why a turn failed: the engine's own error, or a `ShellFaultCode` where no usable response came. */
export interface TurnError extends ErrorObject {
  /** Whether the engine said so, or the shell. */
  readonly source: 'engine' | 'shell'
  /** Whether the same turn, with the same `requestId`, may succeed later. */
  readonly retryable: boolean
  /** The fault behind an error of the shell. */
  readonly cause?: unknown
}

/** The result of a turn. */
export interface ShellTurn {
  /** `error` where a request of the turn failed. Single directives that failed are in `feedback`. */
  readonly status: 'success' | 'error'
  /** The id of the turn's first request. */
  readonly requestId: string
  /** The first error of the turn, or null. */
  readonly error: TurnError | null
  /** The responses: that of the intent, then those of answers to approvals. */
  readonly responses: readonly ResponseMessage[]
  /** The end of each directive, in the order of the responses. */
  readonly feedback: readonly DirectiveFeedback[]
  /** Questions that were shown and have no answer yet: answer them with `resume`. */
  readonly openApprovals: readonly RequestApprovalPayload[]
}

/** A shell: sends intents to an engine and executes the directives of its responses. Turns run one after the other. */
export interface Shell {
  /** The session of all requests. */
  readonly sessionId: string
  /** The conversation of the next request. */
  readonly conversationId: string | undefined
  /** Sends an intent and executes what comes back. The promise resolves also where the turn failed. */
  send(intent: string, options?: TurnOptions): Promise<ShellTurn>
  /**
   * Continues a run: with the token of an option to give this answer, or with the plain token of a question to ask how things stand,
   * which approves nothing.
   */
  resume(continuation: Continuation, options?: ResumeOptions): Promise<ShellTurn>
  /**
   * Sends the feedback that waits, in a request of its own, where the engine takes it; without this it travels with the next request.
   * A turn without responses: there was none to send.
   */
  sendFeedback(options?: Pick<TurnOptions, 'requestId' | 'correlationId' | 'signal'>): Promise<ShellTurn>
  /** Gives the next requests another conversation within the session, and returns its id. */
  startConversation(id?: string): string
}
