// The wake of all sessions of a database together, for a target that has one alarm for them.
import type { Wake } from '@bridle/kernel/ports/log'
import type { SqlDriver } from '../drivers/driver.ts'

/**
 * A session with an effect in hand counts only with a time after `now`: its owner already acts on a time that has passed, and
 * an alarm for that time would ring until the owner is done.
 */
export const nextWake = (driver: Pick<SqlDriver, 'get'>, now: number): Wake => {
  const inHand = driver.get('SELECT 1 FROM sessions WHERE in_hand = 1 LIMIT 1') !== undefined
  const due = driver.get<{ at: number | null }>(
    'SELECT min(due_at) AS at FROM sessions WHERE due_at IS NOT NULL AND (in_hand = 0 OR due_at > ?)',
    now,
  )
  return { inHand, dueAt: due?.at ?? null }
}
