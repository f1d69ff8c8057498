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
  /** Handlers by action type. */
  readonly handlers: ShellHandlers
  /** Asks the user to approve a directive. Without it, directives that need approval never run. */
  readonly approve?: Approver
  /** The lowest risk tier that requires approval even if the directive does not. Default: `dangerous`. */
  readonly approvalFrom?: ApprovalThreshold
  /** Kind, version, locale and time zone of the shell. */
  readonly identity?: ShellIdentity
  /** References to an identity that the transport establishes. Other fields are not sent. */
  readonly auth?: AuthReferences
  /** Session to continue. Default: a new one. */
  readonly sessionId?: string
  /** Conversation within the session. */
  readonly conversationId?: string
  /** State of the device, or a function that reads it for each request. */
  readonly environment?: ShellEnvironment | (() => ShellEnvironment | Promise<ShellEnvironment>)
  /** Capabilities in addition to the derived ones. False withdraws a capability. */
  readonly capabilities?: JsonObject
  /** False runs every directive sequentially. Default: true. */
  readonly parallel?: boolean
  /** Handler timeout for directives without an earlier deadline. Default: one minute. */
  readonly handlerTimeoutMs?: number
  /** Called with the directives received so far, for display only: handlers run once, when the response is complete. */
  readonly onPartial?: (partial: PartialResponse) => void
  /** Called with the result of each directive. */
  readonly onFeedback?: (feedback: DirectiveFeedback) => void
  /** Called with diagnostic events. */
  readonly onTelemetry?: (event: ShellTelemetry) => void
}

/** A response that is still streaming. */
export interface PartialResponse {
  /** The request being answered. */
  readonly request_id: string
  /** All directives so far, in order. A directive missing from a later call was withdrawn. */
  readonly action_directives: readonly ActionDirective[]
}

/** Options of a turn. */
export interface TurnOptions {
  /** Idempotency key. Reuse an earlier one to fetch its response again. Default: a new one. */
  readonly requestId?: string
  /** Id for tracing. Default: a new one per turn. */
  readonly correlationId?: string
  /** Routing hints: an agent, an SOP, business keys. */
  readonly taskHint?: ShellTaskHint
  /** Attachments: references, or a `Blob`, `File` or bytes, which the transport uploads first. */
  readonly attachments?: readonly ShellAttachment[]
  /** Vendor data, keyed by reverse-DNS name. */
  readonly extensions?: JsonObject
  /** Ends the turn; no further directive starts. */
  readonly signal?: AbortSignal
}

/** Options of `resume`. */
export interface ResumeOptions extends TurnOptions {
  /** The user's words for the engine, such as the label of the chosen option. */
  readonly intent?: string
}

/** Why a turn failed: the engine's error, or a `ShellFaultCode` if there was no usable response. */
export interface TurnError extends ErrorObject {
  /** Whether the engine or the shell reported the error. */
  readonly source: 'engine' | 'shell'
  /** True if retrying the turn with the same `requestId` may succeed. */
  readonly retryable: boolean
  /** The underlying fault, if the shell reported the error. */
  readonly cause?: unknown
}

/** Result of a turn. */
export interface ShellTurn {
  /** `error` if any request of the turn failed. Failures of single directives are in `feedback`. */
  readonly status: 'success' | 'error'
  /** Id of the turn's first request. */
  readonly requestId: string
  /** The turn's first error, or null. */
  readonly error: TurnError | null
  /** Responses to the intent and then to each answered approval. */
  readonly responses: readonly ResponseMessage[]
  /** Result of each directive, in response order. */
  readonly feedback: readonly DirectiveFeedback[]
  /** Questions still waiting for an answer. Answer them with `resume`. */
  readonly openApprovals: readonly RequestApprovalPayload[]
}

/** Sends intents to an engine and executes the directives it returns. Turns run one at a time. */
export interface Shell {
  /** Session of all requests. */
  readonly sessionId: string
  /** Conversation of the next request. */
  readonly conversationId: string | undefined
  /** Sends an intent and executes the response. Resolves even if the turn fails. */
  send(intent: string, options?: TurnOptions): Promise<ShellTurn>
  /** Continues a run. An option's token gives that answer; a question's own token only polls its status. */
  resume(continuation: Continuation, options?: ResumeOptions): Promise<ShellTurn>
  /**
   * Sends queued feedback now instead of with the next request. Without any, or if the engine does not accept it, sends
   * nothing.
   */
  sendFeedback(options?: Pick<TurnOptions, 'requestId' | 'correlationId' | 'signal'>): Promise<ShellTurn>
  /** Starts a new conversation within the session and returns its id. */
  startConversation(id?: string): string
}
