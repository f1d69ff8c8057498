// When the sessions of an object next need attention, for the object's one alarm.
import type { DirectoryRow } from '../../kernel/ports/store.ts'
import type { SqlDriver } from '../drivers/driver.ts'
import { parseOrNull } from '../sqlite/sqlite-directory.ts'

export interface WakeRows {
  /** The rows of the sessions that have a run or an effect in hand; null for a damaged row. */
  inHand(): (DirectoryRow | null)[]
  /** The earliest time that a session waits for; null = none does. */
  earliestDueAt(): number | null
}

export const wakeRows = (driver: SqlDriver): WakeRows => ({
  inHand: () =>
    driver
      .all<{ row: string }>('SELECT row FROM sessions WHERE wake_at = 0')
      .map(({ row }) => parseOrNull<DirectoryRow>(row)),
  earliestDueAt: () =>
    driver.get<{ at: number | null }>('SELECT min(wake_at) AS at FROM sessions WHERE wake_at > 0')?.at ?? null,
})
