// The functions of a shell that do what directives say, and the data that they get.
import type { GivenAnswer } from '@bridle/events/answers'
import type { JsonObject } from '@bridle/events/json'
import type { ActionDirective } from '@bridle/wire/openharness/wire'
import type {
  RenderMessagePayload,
  RenderUiPayload,
  RequestApprovalPayload,
  SimulateActionPayload,
} from './core-payloads.ts'

/** Everything about a directive that is not its payload. */
export interface DirectiveContext {
  /** The directive as it came. */
  readonly directive: ActionDirective
  /** The place of the directive in its response. */
  readonly index: number
  /** The request whose response has the directive. */
  readonly requestId: string
  /** Aborted when the deadline passes or the turn is ended: stop, and undo what is half done. */
  readonly signal: AbortSignal
  /** True where this text replaces a directive that the shell cannot execute. */
  readonly degraded: boolean
}

/** Does what a directive says; a promise ends when it is done. */
export type DirectiveHandler<Payload> = (payload: Payload, context: DirectiveContext) => unknown

/** An answer in the person's own words, for a question that takes a text: with Bridle's engine, one for the tool `user.input`. */
export interface TextAnswer {
  /** The id of the chosen option. */
  readonly option: string
  /** The words, which the engine gets as `user_intent` instead of the label of the option. */
  readonly text: string
}

/** The answers to questions, or the values of a form, for a question of Bridle's engine. */
export interface FieldsAnswer extends GivenAnswer {
  /** The id of the chosen option: `approve`. */
  readonly option: string
}

/** The id of the chosen option, an answer in words, or one with fields; null where the person answers later, by way of `shell.resume`. */
export type QuestionReply = string | TextAnswer | FieldsAnswer | null | undefined

/** Shows a question of the engine with its options. The shell sends what it resolves with to the engine. */
export type ApprovalHandler = (
  payload: RequestApprovalPayload,
  context: DirectiveContext,
) => QuestionReply | Promise<QuestionReply>

/** The functions of a shell, by action type. A type without a handler is unknown to the shell; `noop` needs none. */
export interface ShellHandlers {
  /** Shows a text; also the text that replaces a directive which the shell cannot execute. */
  readonly render_message?: DirectiveHandler<RenderMessagePayload>
  /** Shows a component. */
  readonly render_ui?: DirectiveHandler<RenderUiPayload>
  /** Simulates input on the device. */
  readonly simulate_action?: DirectiveHandler<SimulateActionPayload>
  /** Shows a question with its options. */
  readonly request_approval?: ApprovalHandler
  /** A namespaced type, such as `com.example.render.dashboard`. */
  readonly [actionType: `${string}.${string}`]: DirectiveHandler<JsonObject>
}
