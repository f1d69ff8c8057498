import { ABORT_GRACE_MS } from '@bridle/events/limits'
import { type Answers, type Command, type FeedbackCommand, type Refusal, refuse } from '../commands.ts'
import { isEnding } from '../projections/state.ts'
import { expireApprovals, withdrawBudgetQuestions } from './approvals/approvals.ts'
import { askAboutUnsafe } from './approvals/operator-questions.ts'
import { grantBudget } from './budgets/granted-budget.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { canExpire } from './due-time.ts'
import { reasonAndActor } from './reason-and-actor.ts'
import { wakeRun } from './runs/durable-runs.ts'
import { completeStop, failExpired, isExpired, requestRun, settleToolCalls } from './runs/runs.ts'

export const pause = (
  w: DecisionBuilder,
  { reason, actor }: Command & { type: 'pause' },
): Answers['pause'] | Refusal => {
  const { paused } = w.state.lifecycle
  if (isEnding(w.state)) return refuse('session_ended')
  if (paused) return refuse('already_paused')
  w.add('session_paused', { ...reasonAndActor({ reason, actor }), operator: true })
  parkRun(w, 'paused')
  return { paused: true }
}

/** Approvals stay open; their answers serve the next attempt. */
export const parkRun = (w: DecisionBuilder, reason: 'paused' | 'budget' | 'restart'): void => {
  const { run } = w
  if (!run || run.phase === 'cancelling' || run.phase === 'parked') return
  // A durable run's next attempt handles its open calls.
  if (!run.durable) {
    askAboutUnsafe(w, 'its run was stopped', true)
    settleToolCalls(w, 'error', 'interrupted')
  }
  const stop = (run.phase === 'requested' || run.phase === 'started') && w.state.course.wait === null
  w.addToRun('run_parked', { run_id: run.runId, attempt: run.attempt, reason, stop })
}

export const resume = (
  w: DecisionBuilder,
  { reason, actor }: Command & { type: 'resume' },
): Answers['resume'] | Refusal => {
  const { paused } = w.state.lifecycle
  if (isEnding(w.state)) return refuse('session_ended')
  if (!paused) return refuse('not_paused')
  w.add('session_resumed', reasonAndActor({ reason, actor }))
  // A session that is over budget gets more, or it would run without a limit. An open budget question stays open.
  if (!Object.values(w.state.approvals.open).some(({ kind }) => kind === 'budget')) grantBudget(w)
  return { paused: false }
}

/** Withdraws questions about old limits; a crossed new limit asks again. */
export const setPolicy = (
  w: DecisionBuilder,
  { policy, reason, actor }: Command & { type: 'set_policy' },
): Answers['set_policy'] => {
  w.add('policy_set', { policy, ...reasonAndActor({ reason, actor }) })
  withdrawBudgetQuestions(w, 'The policy was changed.')
  return {}
}

/** Accepted even after the end of a session, whose last directives may be executed later. */
export const recordFeedback = (w: DecisionBuilder, { entries, actor }: FeedbackCommand): Answers['feedback'] => {
  if (entries.length > 0) w.add('execution_feedback', { entries: [...entries], ...(actor !== undefined && { actor }) })
  return { entries: entries.length }
}

/** Allowed in every state: only lists and pages show the title. */
export const rename = (
  w: DecisionBuilder,
  { title, actor }: Command & { readonly type: 'rename' },
): Answers['rename'] => {
  if (w.state.lifecycle.title !== title) w.add('session_renamed', { title, ...reasonAndActor({ actor }) })
  return { title }
}

/** Parks in-process runs for the next process, without using up a retry. */
export const handOver = (w: DecisionBuilder, _command: Command & { type: 'hand_over' }): Answers['hand_over'] => {
  // Chat runs never restart without a prompt, and durable runs need no stop.
  if (w.state.lifecycle.kind === 'background' && w.run?.phase === 'started' && !w.run.durable) parkRun(w, 'restart')
  return {}
}

export const expire = (w: DecisionBuilder, _command: Command & { type: 'expire' }): Answers['expire'] | Refusal => {
  if (isEnding(w.state)) return refuse('session_ended')
  if (!isExpired(w)) return refuse('not_expired')
  expireWork(w)
  return {}
}

/** Processes everything due. The order matters: expired work must not be retried. */
export const tick = (w: DecisionBuilder): Answers['tick'] => {
  expireApprovals(w)
  wakeRun(w)
  const { run } = w
  if (run && run.stopRequestedAt !== null && w.now >= run.stopRequestedAt + ABORT_GRACE_MS) completeStop(w, 'deadline')
  expireWork(w)
  if (w.run?.phase === 'waiting' && w.run.retryAt !== null && w.now >= w.run.retryAt && !w.state.lifecycle.paused) {
    requestRun(w, w.run.runId, w.run.attempt + 1)
  }
  return {}
}

const expireWork = (w: DecisionBuilder): void => {
  if (!isExpired(w) || !canExpire(w.state)) return
  // Stop the runner first. The next attempt is then refused as expired.
  if (w.run?.phase === 'started') parkRun(w, 'paused')
  else failExpired(w)
}
