// Whether a stopped run resumes in the middle of its turn, and from which handle.
import type { DecisionBuilder } from '../decision-builder.ts'

/** The handle with which a stopped run resumes in the middle of its turn; null: it starts over. */
export const resumeHandleOf = ({ run, state }: DecisionBuilder): string | null => {
  const isKept = run !== null && !run.retrying && run.parkReason !== null && KEEPS_MEMORY.has(run.parkReason)
  return (isKept && state.lifecycle.handles.findLast((each) => each.runId === run.runId)?.handle) || null
}

/** Stopped on purpose: a broken run may not have recorded everything it did. */
const KEEPS_MEMORY: ReadonlySet<string> = new Set(['paused', 'budget', 'restart'])

/** Whether the run would resume where it is stopped now. */
export const isResumable = ({ run, state }: DecisionBuilder): boolean =>
  run !== null && (run.durable || run.resumable || state.lifecycle.handles.some((each) => each.runId === run.runId))
