// For targets with one alarm for all sessions of a database.
import type { Wake } from '@bridle/kernel/ports/log'
import type { SqlDriver } from '../drivers/driver.ts'

/** With an effect in hand, past times are ignored: the owner already acts on them, and their alarm would ring until it is done. */
export const nextWake = (driver: Pick<SqlDriver, 'get'>, now: number): Wake => {
  const inHand = driver.get('SELECT 1 FROM sessions WHERE in_hand = 1 LIMIT 1') !== undefined
  const due = driver.get<{ at: number | null }>(
    'SELECT min(due_at) AS at FROM sessions WHERE due_at IS NOT NULL AND (in_hand = 0 OR due_at > ?)',
    now,
  )
  return { inHand, dueAt: due?.at ?? null }
}
