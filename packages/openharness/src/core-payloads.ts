import type { Json, JsonObject } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'

/** Payload of `render_message`. */
export interface RenderMessagePayload {
  /** Text to show. */
  readonly text: string
  /** Additional fields. */
  readonly [name: string]: Json | undefined
}

/** Payload of `render_ui`. */
export interface RenderUiPayload {
  /** Component name. */
  readonly component: string
  /** Component data. */
  readonly data?: Json
  /** Additional fields. */
  readonly [name: string]: Json | undefined
}

/** Payload of `simulate_action`. */
export interface SimulateActionPayload {
  /** Input to simulate, such as `cmd+c`. */
  readonly macro: string
  /** Element that receives the input. */
  readonly target?: string
  /** Additional fields. */
  readonly [name: string]: Json | undefined
}

/** Payload of `request_approval`. */
export interface RequestApprovalPayload {
  /** Question for the user. */
  readonly message: string
  /** Tool that is waiting for the answer. */
  readonly tool?: string
  /** Arguments of the pending call. */
  readonly arguments?: Json
  /** Risk level of the call. */
  readonly risk?: string
  /** ISO 8601 time at which the question is denied automatically. Null: it never expires. */
  readonly expires_at?: string | null
  /** Run that is waiting. */
  readonly run_id?: string
  /** Token that polls the status of the question and approves nothing. */
  readonly continuation_token?: string
  /** Possible answers. */
  readonly options: readonly ApprovalOption[]
  /** Text for shells that cannot ask: the question, and where to answer it. */
  readonly fallback_message?: string
  /** Questions. Bridle's engine only. */
  readonly questions?: readonly Question[]
  /** JSON Schema of the requested form. Bridle's engine only. */
  readonly schema?: JsonObject
  /** Answers or form values to use if the question expires or is approved without an answer. */
  readonly default?: JsonObject
}

/** A possible answer to `request_approval`. */
export interface ApprovalOption {
  /** Answer id. Bridle's engine sends `approve`, `deny`, or the id of a choice. */
  readonly id: string
  /** Button label. */
  readonly label: string
  /** Token that gives this answer when sent in a request. */
  readonly continuation_token: string
}
