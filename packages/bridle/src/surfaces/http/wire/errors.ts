// Bodies of refusals.
import type { SettledApprovalDetails } from './approvals.ts'

/** The body of 400, 404, 405, 412, 415, 416 and 426. */
export interface PlainErrorBody {
  /** The text of the error; a 404 always has `Not found`. */
  readonly error: string
  /** The explanation of a 404: the thing that was not found, and where to look. */
  readonly message?: string
  /** The path of the field of the body that is wrong. */
  readonly field?: string
  readonly warnings?: readonly string[]
}

/** The body of 401, 403, 409, 413, 429, 500 and 503. */
export interface TypedErrorBody extends Partial<SettledApprovalDetails> {
  readonly error: { readonly type: string; readonly message: string }
  readonly warnings?: readonly string[]
}
