// Removal hides a session at once; its rows are deleted in slices once no branch reads them. Crashes lose no pending work.
import type { Key } from '@bridle/kernel/event'
import type { SqlDriver } from '../drivers/driver.ts'
import type { SessionRecord } from './session-table.ts'

/** Bounds how long deleting a large session blocks the event loop. */
const SWEEP_ROWS = 500

export const hideSession = (driver: SqlDriver, record: SessionRecord, head: number): void => {
  const { sid, tenant, agent, id, incarnation } = record
  driver.run(
    `INSERT INTO tombstones (tenant, agent, id, head, incarnation) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tenant, agent, id) DO UPDATE SET head = excluded.head, incarnation = excluded.incarnation`,
    ...[tenant, agent, id, head, incarnation],
  )
  driver.run("UPDATE sessions SET removed = 1, in_hand = 0, due_at = NULL, search = '', row = '' WHERE sid = ?", sid)
  driver.run('DELETE FROM answers WHERE sid = ?', sid)
  driver.run('DELETE FROM approvals WHERE sid = ?', sid)
  driver.run('DELETE FROM settled_approvals WHERE sid = ?', sid)
}

/** Numbers up to `head` count as used. */
export const reserveNumbers = (driver: SqlDriver, { tenant, agent, id }: Key, head: number): void => {
  driver.run(
    `INSERT INTO tombstones (tenant, agent, id, head, incarnation) VALUES (?, ?, ?, ?, 1)
     ON CONFLICT (tenant, agent, id) DO UPDATE SET head = MAX(head, excluded.head)`,
    ...[tenant, agent, id, head],
  )
}

/** Matches removed sessions `s` without branches, including removed branches. */
export const IS_UNREAD = '(s.removed = 1 AND NOT EXISTS (SELECT 1 FROM sessions WHERE parent_sid = s.sid))'

export const findSweepableSession = (driver: SqlDriver): number | undefined =>
  driver.get<{ sid: number }>(`SELECT sid FROM sessions AS s WHERE ${IS_UNREAD} LIMIT 1`)?.sid

/** Call within a transaction. The last slice deletes the session itself. */
export const sweepSession = (driver: SqlDriver, sid: number): void => {
  const edge = driver.get<{ last: number }>(
    'SELECT last FROM log WHERE sid = ? ORDER BY last LIMIT 1 OFFSET ?',
    ...[sid, SWEEP_ROWS],
  )
  if (edge) {
    driver.run(`${deleteLog} AND k.last < ?)`, sid, edge.last)
    return
  }
  driver.run(`${deleteLog})`, sid)
  for (const table of ['snapshots', 'texts', 'sessions']) driver.run(`DELETE FROM ${table} WHERE sid = ?`, sid)
}

/** A damaged index entry may name another session's row, so the row itself is checked. */
const deleteLog = `DELETE FROM log WHERE n IN (SELECT l.n FROM log AS k INDEXED BY log_place
  CROSS JOIN log AS l ON l.n = k.n WHERE k.sid = ? AND l.sid = k.sid`
