// Answer and pause in one command. The pause is logged with the answer, so that a crash before the call's outcome does not lose it.
import { ownProperty } from '@bridle/events/json'
import { isRunnersQuestion } from '../../projections/approvals.ts'
import type { SessionState } from '../../projections/state.ts'
import { parkRun } from '../control.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

type PauseWish = NonNullable<SessionState['lifecycle']['pauseAfter']>

/** Called after each change. */
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

/** Waits for parallel calls of the step: stopping them would leave their outcomes unknown. */
const isDue = ({ run, state }: DecisionBuilder, { requestId, isOfNoCall }: PauseWish): boolean => {
  if (!run || run.phase === 'cancelling') return run === null
  const answer = ownProperty(state.approvals.decided, requestId)
  // Questions of the kernel have no call; the next step follows at once.
  if (!answer || !isRunnersQuestion(answer)) return true
  // Undelivered answers do not count: an ended attempt has no open calls, but its call still needs the answer.
  const isUsed = answer.hasOutcome || (isOfNoCall && !answer.undelivered)
  return (isUsed || answer.runId !== run.runId) && Object.keys(state.lifecycle.tools).length === 0
}
