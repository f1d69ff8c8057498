// Operations on the transport's state.
import { applyOperations, type DeltaOperation } from './delta.ts'
import type { HarnessState } from './projections/harness-state.ts'

/**
 * An operation cannot remove a field, so a delta clears the error with an empty text: the document has `error?: string`, and null is not a
 * string. Older servers send null. A state without an error has no such field.
 */
export const applyToState = (
  state: HarnessState,
  operations: readonly DeltaOperation[],
  owned?: Set<object>,
): HarnessState => {
  const next = applyOperations(state, operations, owned) as HarnessState & { error?: string | null }
  if (next.error !== '' && next.error !== null) return next
  const { error: _cleared, ...rest } = next
  return rest
}
