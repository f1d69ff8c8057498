// Whether a run that was stopped goes on in the middle of its turn, and from where.
import type { DecisionBuilder } from '../decision-builder.ts'

/** The handle with which the stopped run goes on in the middle of its turn; null = it starts over. */
export const resumeHandleOf = ({ run, state }: DecisionBuilder): string | null => {
  const isKept = run !== null && !run.retrying && run.parkReason !== null && KEEPS_MEMORY.has(run.parkReason)
  return (isKept && state.lifecycle.handles.findLast((each) => each.runId === run.runId)?.handle) || null
}

/** Stopped on purpose. A run that broke has perhaps not written down all that it did. */
const KEEPS_MEMORY: ReadonlySet<string> = new Set(['paused', 'budget', 'restart'])

/** Whether the run, stopped now, would go on from where it stopped. */
export const isResumable = ({ run, state }: DecisionBuilder): boolean =>
  run !== null && (run.resumable || state.lifecycle.handles.some((each) => each.runId === run.runId))
