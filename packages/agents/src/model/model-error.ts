// The one error of a call to a model. `instanceof` compares the code: a model may come from another copy of the package.
import { hasCode } from '../session/errors.ts'

/**
 * Why a call of a model failed.
 *
 * - `rate_limited`, `overloaded`, `unavailable`: the provider takes no requests now; the same request may succeed later.
 * - `stalled`, `cut`: the answer stopped arriving, or ended before its end.
 * - `auth`: the provider does not accept the key. `overflow`: the conversation is longer than the model can read.
 * - `refused`: the provider does not accept the request. `invalid`: the answer is not one of a model.
 * - `unsupported`: the object is not a model of interface version 3 or 4.
 * - `middleware`: a function `model` of the agent's middleware failed.
 */
export type ModelErrorReason =
  | 'rate_limited'
  | 'overloaded'
  | 'unavailable'
  | 'stalled'
  | 'cut'
  | 'auth'
  | 'overflow'
  | 'refused'
  | 'invalid'
  | 'unsupported'
  | 'middleware'

/** A call of a model failed. */
export class ModelError extends Error {
  /** The code to match. */
  readonly code = 'model_error'
  /** Why the call failed. */
  readonly reason: ModelErrorReason
  /** True where the same request may succeed later. */
  readonly retryable: boolean
  /** The wait that the provider asks for. */
  readonly retryAfterMs?: number
  /** The status of the provider's HTTP answer. */
  readonly status?: number

  constructor(
    reason: ModelErrorReason,
    message: string,
    details: { retryable?: boolean; retryAfterMs?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'ModelError'
    this.reason = reason
    this.retryable = details.retryable ?? RETRYABLE.has(reason)
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs
    if (details.status !== undefined) this.status = details.status
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasCode(value, 'model_error')
  }
}

const RETRYABLE: ReadonlySet<ModelErrorReason> = new Set([
  'rate_limited',
  'overloaded',
  'unavailable',
  'stalled',
  'cut',
  'invalid',
])
