// The payloads of core types, as handlers get them.
import type { Json, JsonObject } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'

/** The payload of `render_message`. */
export interface RenderMessagePayload {
  /** The text to show. */
  readonly text: string
  /** Further fields. */
  readonly [name: string]: Json | undefined
}

/** The payload of `render_ui`. */
export interface RenderUiPayload {
  /** The name of the component. */
  readonly component: string
  /** The data of the component. */
  readonly data?: Json
  /** Further fields. */
  readonly [name: string]: Json | undefined
}

/** The payload of `simulate_action`. */
export interface SimulateActionPayload {
  /** The input to simulate, such as `cmd+c`. */
  readonly macro: string
  /** The element that receives the input. */
  readonly target?: string
  /** Further fields. */
  readonly [name: string]: Json | undefined
}

/** The payload of `request_approval`. */
export interface RequestApprovalPayload {
  /** The question for the user. */
  readonly message: string
  /** The tool that waits for the answer. */
  readonly tool?: string
  /** The arguments of the call that waits. */
  readonly arguments?: Json
  /** How risky the call is. */
  readonly risk?: string
  /** The time after which the question counts as refused, in ISO 8601; null where it never does. */
  readonly expires_at?: string | null
  /** The run that waits. */
  readonly run_id?: string
  /** A token that asks how things stand, and approves nothing. */
  readonly continuation_token?: string
  /** The possible answers. */
  readonly options: readonly ApprovalOption[]
  /** The text for shells that cannot ask: the question, and where it is answered. */
  readonly fallback_message?: string
  /** The questions that are asked, with Bridle's engine. */
  readonly questions?: readonly Question[]
  /** The form that is asked for, as a JSON Schema, with Bridle's engine. */
  readonly schema?: JsonObject
  /** The answers or values that apply when the question expires, or when it is approved without an answer. */
  readonly default?: JsonObject
}

/** A possible answer to `request_approval`. */
export interface ApprovalOption {
  /** The id of the answer: with Bridle's engine `approve`, `deny`, or the id of a choice. */
  readonly id: string
  /** The words to show. */
  readonly label: string
  /** The token that gives this answer when a request carries it. */
  readonly continuation_token: string
}
