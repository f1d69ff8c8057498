// Operations on the transport's state.
import { applyOperations, type DeltaOperation } from './delta.ts'
import type { HarnessState } from './projections/harness-state.ts'

/** An operation cannot remove a field, so a delta clears the error with null. A state has no error then, not an empty one. */
export const applyToState = (
  state: HarnessState,
  operations: readonly DeltaOperation[],
  owned?: Set<object>,
): HarnessState => {
  const next = applyOperations(state, operations, owned) as HarnessState & { error?: string | null }
  if (next.error !== null) return next
  const { error: _cleared, ...rest } = next
  return rest
}
