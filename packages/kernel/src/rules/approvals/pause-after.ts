// Answering and pausing in one command: the call gets its answer, and the session pauses when the call has its outcome, in the same
// batch. The wish is in the log with the answer, so that a crash in between does not lose it.
import { ownProperty } from '@bridle/events/json'
import { isRunnersQuestion } from '../../projections/approvals.ts'
import type { SessionState } from '../../projections/state.ts'
import { parkRun } from '../control.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

type PauseWish = NonNullable<SessionState['lifecycle']['pauseAfter']>

/** Runs after each change. */
export const pauseAfterCall = (w: DecisionBuilder): void => {
  const { pauseAfter, paused } = w.state.lifecycle
  if (!pauseAfter || paused || !isDue(w, pauseAfter)) return
  const { requestId, actor, isActorClaimed } = pauseAfter
  w.add('session_paused', {
    reason: `As asked with the answer to ${requestId}.`,
    ...(actor !== null && { actor }),
    ...(isActorClaimed && { actor_claimed: true }),
    operator: true,
  })
  parkRun(w, 'paused')
}

/** Calls of the same step may still run: stopping those would leave their outcomes unknown. */
const isDue = ({ run, state }: DecisionBuilder, { requestId, isOfNoCall }: PauseWish): boolean => {
  if (!run || run.phase === 'cancelling') return run === null
  const answer = ownProperty(state.approvals.decided, requestId)
  // The kernel's own questions stand for no call: what follows the answer is the next step.
  if (!answer || !isRunnersQuestion(answer)) return true
  // Only a delivered answer: an attempt that has ended has no open calls either, and its call still needs the answer.
  const isUsed = answer.hasOutcome || (isOfNoCall && !answer.undelivered)
  return (isUsed || answer.runId !== run.runId) && Object.keys(state.lifecycle.tools).length === 0
}
