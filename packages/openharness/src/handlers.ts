import type { GivenAnswer } from '@bridle/events/answers'
import type { JsonObject } from '@bridle/events/json'
import type { ActionDirective } from '@bridle/wire/openharness/wire'
import type {
  RenderMessagePayload,
  RenderUiPayload,
  RequestApprovalPayload,
  SimulateActionPayload,
} from './core-payloads.ts'

/** Everything about a directive except its payload. */
export interface DirectiveContext {
  /** The directive as received. */
  readonly directive: ActionDirective
  /** Index of the directive in its response. */
  readonly index: number
  /** Request whose response contained the directive. */
  readonly requestId: string
  /** Aborted when the deadline passes or the turn ends. Stop, and undo partial work. */
  readonly signal: AbortSignal
  /** True if this text replaces a directive that the shell cannot execute. */
  readonly degraded: boolean
}

/** Executes a directive. If it returns a promise, the directive is done when the promise settles. */
export type DirectiveHandler<Payload> = (payload: Payload, context: DirectiveContext) => unknown

/** A free-text answer. Bridle's engine accepts one for the tool `user.input`. */
export interface TextAnswer {
  /** Id of the chosen option. */
  readonly option: string
  /** The text. The engine receives it as `user_intent` instead of the option's label. */
  readonly text: string
}

/** Answers to questions, or form values, for a question of Bridle's engine. */
export interface FieldsAnswer extends GivenAnswer {
  /** Id of the chosen option: `approve`. */
  readonly option: string
}

/** An option id, a text answer, or field values. Null if the user will answer later through `shell.resume`. */
export type QuestionReply = string | TextAnswer | FieldsAnswer | null | undefined

/** Shows a question of the engine and its options. The shell sends the result to the engine. */
export type ApprovalHandler = (
  payload: RequestApprovalPayload,
  context: DirectiveContext,
) => QuestionReply | Promise<QuestionReply>

/** Handlers by action type. A type without a handler is unknown to the shell; `noop` needs none. */
export interface ShellHandlers {
  /** Shows text, including the text that replaces a directive the shell cannot execute. */
  readonly render_message?: DirectiveHandler<RenderMessagePayload>
  /** Shows a component. */
  readonly render_ui?: DirectiveHandler<RenderUiPayload>
  /** Simulates input on the device. */
  readonly simulate_action?: DirectiveHandler<SimulateActionPayload>
  /** Shows a question and its options. */
  readonly request_approval?: ApprovalHandler
  /** Handles a namespaced type, such as `com.example.render.dashboard`. */
  readonly [actionType: `${string}.${string}`]: DirectiveHandler<JsonObject>
}
