// The next time a session is due: expiry, retry, abort grace, health. Node uses it for timers, Durable Objects for alarms.
import { ABORT_GRACE_MS, BUDGET_GRACE_MS } from '@bridle/events/limits'
import type { Wake } from '../ports/log.ts'
import { isOfAttempt, isRunnersQuestion } from '../projections/approvals.ts'
import { budgetsOverLimit, nextHealthChangeAt } from '../projections/health/budgets.ts'
import { type SessionState, statusOf } from '../projections/state.ts'

/** When a tick next changes something. Null if only commands and reports do. */
export const dueAt = (state: SessionState, now: number): number | null => dueTimes(state, now).next

export interface DueTimes {
  readonly next: number | null
  /** The next deadline that does not depend on the run's output. */
  readonly deadline: number | null
}

export const dueTimes = (state: SessionState, now: number): DueTimes => {
  const deadline = earliest(deadlines(state))
  const silence = isInBudgetGrace(state, now) ? state.at + BUDGET_GRACE_MS : null
  const health = nextHealthChangeAt(state.health, state.lifecycle.policy, statusOf(state), now)
  return { next: earliest([deadline, silence, health]), deadline }
}

/** With an effect in hand only deadlines count: other times move with every token, and the owner has timers for them. */
export const wakeOf = (inHand: boolean, { next, deadline }: DueTimes): Wake => ({
  inHand,
  dueAt: inHand ? deadline : next,
})

const deadlines = (state: SessionState): (number | null)[] => {
  const { run, expiresAt, paused } = state.lifecycle
  const moments = Object.values(state.approvals.open).map((approval) => approval.expiresAt)
  if (run?.stopRequestedAt != null) moments.push(run.stopRequestedAt + ABORT_GRACE_MS)
  if (run?.phase === 'waiting' && !paused) moments.push(run.retryAt)
  if (canExpire(state)) moments.push(expiresAt)
  if (state.course.wait) moments.push(state.course.wait.until)
  if (isLeftForNextProcess(state)) moments.push(state.at)
  return moments
}

const earliest = (moments: readonly (number | null)[]): number | null => {
  const times = moments.filter((moment) => moment !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** Allows a run to end over budget. Open calls are not stopped: their outcome would be unknown. */
const isInBudgetGrace = (state: SessionState, now: number): boolean => {
  const { run, tools, policy } = state.lifecycle
  if (!policy.health || run?.phase !== 'started' || Object.keys(tools).length > 0) return false
  const status = statusOf(state)
  return status === 'running' && budgetsOverLimit(state.health, policy, status, now).length > 0
}

/** A stopping process parked it or left its prompts. */
const isLeftForNextProcess = ({ lifecycle, approvals }: SessionState): boolean => {
  const { created, paused, run, queue } = lifecycle
  if (!created || paused) return false
  if (!run) return queue.length > 0
  if (run.phase !== 'parked' || run.stopRequestedAt !== null) return false
  return Object.values(approvals.open).every(isRunnersQuestion)
}

/** Work in progress may finish. Work that waits for a sandbox, a start, a retry or an answer expires. */
export const canExpire = ({ lifecycle: { kind, run, queue }, approvals: { open }, course }: SessionState): boolean => {
  if (kind !== 'background' || (!run && queue.length === 0)) return false
  const isWorking =
    run !== null && (run.phase === 'requested' || run.phase === 'started') && !run.awaitsSandbox && !course.wait
  const underWay = isWorking || (run !== null && run.stopRequestedAt !== null)
  return !underWay || (run.phase === 'started' && Object.values(open).some((approval) => isOfAttempt(approval, run)))
}
