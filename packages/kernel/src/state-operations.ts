import { applyOperations, type DeltaOperation } from './delta.ts'
import type { HarnessState } from './projections/harness-state.ts'

/** Operations cannot remove fields, so an empty text clears the error. Older servers send null. */
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
