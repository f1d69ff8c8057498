// What is due, and when. Time is an argument: expiry, retry, abort grace and health are table tests. Node asks from a
// timer, a Durable Object from its alarm.
import { ABORT_GRACE_MS } from './limits.ts'
import { healthWake } from './projections/health.ts'
import { isTerminal, type SessionState, statusOf } from './state.ts'

/** The next moment at which a tick would change something; null = never by itself. */
export const dueAt = (state: SessionState, now: number): number | null => {
  const { run, kind, expiresAt, paused, policy } = state.lifecycle
  const moments = Object.values(state.approvals.open).map((asked) => asked.expiresAt)
  if (run?.stopping != null) moments.push(run.stopping + ABORT_GRACE_MS)
  if (run?.phase === 'waiting' && !paused) moments.push(run.retryAt)
  // A run that is under way may finish past its expiry; it is looked at again when it stops or asks.
  const underWay = run !== null && (run.phase === 'requested' || run.phase === 'started')
  const asks = Object.keys(state.approvals.open).length > 0
  if (kind === 'background' && !isTerminal(state) && (!underWay || asks)) moments.push(expiresAt)
  moments.push(healthWake(state.health, policy, statusOf(state), now))
  const times = moments.filter((moment): moment is number => moment !== null)
  return times.length === 0 ? null : Math.min(...times)
}
