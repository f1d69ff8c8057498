// The `sessions` table: keys, lineage, and the row that lists show.
import { type Key, keyText } from '../kernel/event.ts'
import { rowOwner } from '../kernel/owner.ts'
import { hangsFrom, type Parent, type Row, StoreFault } from '../kernel/ports.ts'
import { type BranchPoint, checkBranch, lineageMax } from './checks.ts'
import type { Driver } from './driver.ts'
import { searchText } from './listing.ts'
import { lastInLog } from './log-rows.ts'
import type { Tail } from './tail.ts'

export interface SessionRecord {
  readonly sid: number
  readonly tenant: string
  readonly agent: string
  readonly id: string
  /** The numbers start after it. */
  readonly base: number
  readonly parent_sid: number | null
  readonly removed: number
}

/** One session of a lineage, and the last of its numbers that counts for the branch. */
export interface Level {
  readonly record: SessionRecord
  readonly upTo: number
}

/** Where a session that does not exist yet will start. */
export interface Origin {
  readonly base: number
  readonly parent: SessionRecord | null
}

export type Sessions = ReturnType<typeof openSessions>

const columns = 'sid, tenant, agent, id, base, parent_sid, removed'
const bySid = `SELECT ${columns} FROM sessions WHERE sid = ?`
const byKey = `SELECT ${columns} FROM sessions WHERE tenant = ? AND id = ? AND agent = ? AND removed = 0`

export function openSessions(driver: Driver, tail: Tail) {
  const get = (sid: number) => driver.get<SessionRecord>(bySid, sid)
  const live = ({ tenant, agent, id }: Key) => driver.get<SessionRecord>(byKey, tenant, id, agent)
  const head = ({ sid, base }: SessionRecord): number => tail.head(sid) ?? lastInLog(driver, sid) ?? base

  /** The session itself, then those it hangs from. */
  function lineage(record: SessionRecord, upTo: number): Level[] {
    const levels: Level[] = [{ record, upTo }]
    for (let at = record; at.parent_sid !== null; ) {
      const parent = get(at.parent_sid)
      if (!parent || levels.length > lineageMax) {
        throw new StoreFault('corrupt', `${keyText(record)}: the session it branched from is missing`)
      }
      upTo = Math.min(upTo, at.base)
      levels.push({ record: parent, upTo })
      at = parent
    }
    return levels
  }

  function branchPoint(record: SessionRecord): BranchPoint {
    const levels = lineage(record, head(record))
    return { head: levels[0]!.upTo, root: levels.at(-1)!.record.base, depth: levels.length }
  }

  return {
    get,
    live,
    head,
    lineage,

    parentOf({ parent_sid, base }: SessionRecord): Parent | null {
      const parent = parent_sid === null ? undefined : get(parent_sid)
      return parent ? { agent: parent.agent, id: parent.id, seq: base } : null
    },

    origin(key: Key, from: Parent | null): Origin {
      const { tenant, agent, id } = key
      const sql = 'SELECT head FROM tombstones WHERE tenant = ? AND agent = ? AND id = ?'
      const tombstone = driver.get<{ head: number }>(sql, tenant, agent, id)?.head ?? 0
      if (!from) return { base: tombstone, parent: null }
      const parent = live({ tenant, agent: from.agent, id: from.id })
      checkBranch(key, from, parent && branchPoint(parent), tombstone)
      return { base: from.seq, parent: parent ?? null }
    },

    create({ tenant, agent, id }: Key, { base, parent }: Origin): number {
      const row = driver.get<{ sid: number }>(
        `INSERT INTO sessions (tenant, agent, id, base, parent_sid, kind, status, updated_at, search, row)
         VALUES (?, ?, ?, ?, ?, '', '', 0, '', '') RETURNING sid`,
        ...[tenant, agent, id, base, parent?.sid ?? null],
      )
      return row!.sid
    },

    /** An owner stays: a row that names none, from before owners were written, takes none away. */
    saveRow(sid: number, { tenant, id }: Key, row: Row): void {
      driver.run(
        `UPDATE sessions SET kind = ?, status = ?, updated_at = ?, hangs_from = ?, owner = coalesce(?, owner), search = ?,
         row = ? WHERE sid = ?`,
        ...[row.kind, row.status, row.updatedAt, hangsFrom(row), rowOwner({ id }, row)],
        ...[searchText(id, row.title), JSON.stringify(row), sid],
      )
      driver.run('DELETE FROM approvals WHERE sid = ?', sid)
      for (const [position, approval] of row.approvals.entries()) {
        driver.run(
          'INSERT INTO approvals (tenant, requested_at, sid, position, body) VALUES (?, ?, ?, ?, ?)',
          ...[tenant, approval.requestedAt, sid, position, JSON.stringify(approval)],
        )
      }
    },

    saveWake: (sid: number, wakeAt: number | null): void =>
      driver.run('UPDATE sessions SET wake_at = ? WHERE sid = ?', wakeAt, sid),
  }
}
