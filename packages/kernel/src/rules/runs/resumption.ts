import type { DecisionBuilder } from '../decision-builder.ts'

/** Null if the run has to start over. */
export const resumeHandleOf = ({ run, state }: DecisionBuilder): string | null => {
  const isKept = run !== null && !run.retrying && run.parkReason !== null && KEEPS_MEMORY.has(run.parkReason)
  return (isKept && state.lifecycle.handles.findLast((each) => each.runId === run.runId)?.handle) || null
}

/** Stopped on purpose. A broken run may not have recorded everything. */
const KEEPS_MEMORY: ReadonlySet<string> = new Set(['paused', 'budget', 'restart'])

export const isResumable = ({ run, state }: DecisionBuilder): boolean =>
  run !== null && (run.durable || run.resumable || state.lifecycle.handles.some((each) => each.runId === run.runId))
