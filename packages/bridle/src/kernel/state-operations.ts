// Operations on the transport's state.
import { applyOperations, type DeltaOperation } from './delta.ts'
import type { HarnessState } from './projections/harness-state.ts'

/**
 * An operation cannot remove a field, so a delta clears the error with an empty text: the document has `error?: string`, and null is not a
 * string. A state without an error has no such field.
 */
export const applyToState = (state: HarnessState, operations: readonly DeltaOperation[]): HarnessState => {
  const next = applyOperations(state, operations) as HarnessState
  if (next.error !== '') return next
  const { error: _cleared, ...rest } = next
  return rest
}
