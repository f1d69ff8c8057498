import { LINEAGE_MAX } from '@bridle/events/limits'
import { type Key, keyText } from '@bridle/kernel/event'
import {
  type BranchPoint,
  branchPointOf,
  effectiveIncarnation,
  type LineageLevel,
  type LineageMember,
  lineageLevels,
  sessionOrigin,
  type Tombstone,
} from '@bridle/kernel/memory/lineage'
import { searchText } from '@bridle/kernel/memory/listing'
import { rowOwner } from '@bridle/kernel/owner'
import { type DirectoryRow, parentIdOf, type SettledListing } from '@bridle/kernel/ports/directory'
import type { BranchParent, Wake } from '@bridle/kernel/ports/log'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { type SqlDriver, toStoreFault } from '../drivers/driver.ts'
import { leastIncarnation } from './schema.ts'
import { lastSeqInLog } from './segment-rows.ts'
import type { Tail } from './tail.ts'

/** As many sessions as an import may have, in a few hundred kilobytes. */
const BRANCH_POINTS_MAX = 10_000

export interface SessionRecord extends Key {
  readonly sid: number
  readonly base: number
  readonly parent_sid: number | null
  readonly removed: number
  /** A number that the log has certainly reached. */
  readonly head_min: number
  readonly owner: string | null
  /** The session's own incarnation; see `incarnationOf` for the effective one. */
  readonly incarnation: number
}

export interface SessionOrigin extends LineageMember {
  readonly parent: SessionRecord | null
}

export type SessionTable = ReturnType<typeof openSessionTable>

const columns = 'sid, tenant, agent, id, base, parent_sid, removed, head_min, owner, incarnation'
/** A single query for a chain of any depth, starting with the session itself. */
const chainOf = `WITH RECURSIVE chain (level, ${columns}) AS (
  SELECT 0, ${columns} FROM sessions WHERE sid = ?
  UNION ALL
  SELECT level + 1, ${columns.replaceAll(/\w+/g, 's.$&')} FROM chain
  CROSS JOIN sessions AS s ON s.sid = chain.parent_sid WHERE level <= ${LINEAGE_MAX}
) SELECT ${columns} FROM chain ORDER BY level`
const bySid = `SELECT ${columns} FROM sessions WHERE sid = ?`

/** Found through the index, but read from the table: SQLite would otherwise return the key from a possibly damaged index entry. */
const named = (index: string, where: string) =>
  `SELECT ${columns.replaceAll(/\w+/g, 's.$&')} FROM sessions AS k INDEXED BY ${index}
   CROSS JOIN sessions AS s ON s.sid = k.sid WHERE ${where} AND k.removed = 0`
const keyOfIndex = 'k.tenant = ? AND k.id = ? AND k.agent = ?'
const byKey = named('sessions_key', keyOfIndex)
const byKeyAgain = named('sessions_name', keyOfIndex)
const idOfIndex = 'k.tenant = ? AND k.id = ?'
const byId = `${named('sessions_key', idOfIndex)} UNION ${named('sessions_name', idOfIndex)} ORDER BY 1`

export const openSessionTable = (driver: SqlDriver, tail: Tail) => {
  const get = (sid: number) => driver.get<SessionRecord>(bySid, sid)
  let cachedLeast: number | undefined
  /** Cached, because it only changes before a store is opened. */
  const least = (): number => {
    cachedLeast ??= leastIncarnation(driver)
    return cachedLeast
  }
  const incarnationOf = (log: Pick<LineageMember, 'incarnation'>): number => effectiveIncarnation(log, least())

  /** Verifies the row, since a damaged index may name another tenant's. A session is only absent if both indexes miss it. */
  const live = (key: Key): SessionRecord | undefined => {
    const { tenant, agent, id } = key
    const found = driver.get<SessionRecord>(byKey, tenant, id, agent)
    if (found) {
      if (isLive(found, key)) return found
      throw damaged(key, 'the index of sessions names another row')
    }
    const missed = driver.get<SessionRecord>(byKeyAgain, tenant, id, agent)
    if (missed && isLive(missed, key)) throw damaged(key, 'the index of sessions does not find it')
    return undefined
  }

  const head = (record: SessionRecord): number => {
    const { sid, base, head_min: least } = record
    const last = tail.head(sid) ?? lastSeqInLog(driver, sid)
    if (last === null) throw damaged(record, 'the index of its events names a row of other events')
    const reached = last ?? base
    if (reached < least || reached < base)
      throw damaged(record, `its events end at ${reached}, and have reached ${Math.max(least, base)}`)
    return reached
  }

  /** Safe to cache: row ids are not reused, and parent and base never change. */
  const points = new Map<number, Pick<BranchPoint, 'depth' | 'root'>>()
  /** Constant cost at any depth of branching. */
  const branchPointFor = (record: SessionRecord): BranchPoint => {
    const { sid, base, parent_sid: above } = record
    const known = points.get(sid)
    const below = known || above === null ? undefined : points.get(above)
    if (points.size >= BRANCH_POINTS_MAX) points.clear()
    const reached = head(record)
    const { depth, root } =
      known ?? (below ? { depth: below.depth + 1, root: below.root } : branchPointOf(lineage(record, reached)))
    points.set(sid, { depth, root })
    return { head: Math.max(reached, base), depth, root }
  }

  const lineage = (record: SessionRecord, upTo: number): LineageLevel<SessionRecord>[] => {
    if (record.parent_sid === null) return lineageLevels([record], upTo)
    const above = driver.all<SessionRecord>(chainOf, record.parent_sid)
    const isWhole = above.length <= LINEAGE_MAX && above.at(-1)?.parent_sid === null
    if (!isWhole || above.some(({ tenant }) => tenant !== record.tenant))
      throw damaged(record, 'the session it branched from is missing')
    return lineageLevels([record, ...above], upTo)
  }

  return {
    get,
    live,

    /** For removal, damage must not keep the session; only its own row has to match. */
    toRemove(key: Key): { record: SessionRecord; head: number } | undefined {
      const { tenant, agent, id } = key
      const record = [byKey, byKeyAgain]
        .map((sql) => driver.get<SessionRecord>(sql, tenant, id, agent))
        .find((found) => found && isLive(found, key))
      if (!record) {
        live(key)
        return undefined
      }
      try {
        return { record, head: head(record) }
      } catch (cause) {
        if (toStoreFault(driver, cause, 'remove').code !== 'corrupt') throw cause
        return { record, head: Math.max(record.base, record.head_min) }
      }
    },

    /** Sessions of all agents that either index finds, oldest first. */
    withId: (tenant: string, id: string): SessionRecord[] =>
      driver
        .all<SessionRecord>(byId, tenant, id, tenant, id)
        .filter((record) => isLive(record, { tenant, agent: record.agent, id })),
    head,
    incarnationOf,
    lineage,

    parentOf({ parent_sid, base }: SessionRecord): BranchParent | null {
      const parent = parent_sid === null ? undefined : get(parent_sid)
      return parent ? { agent: parent.agent, id: parent.id, seq: base } : null
    },

    parentIncarnation({ parent_sid }: SessionRecord): number | null {
      const parent = parent_sid === null ? undefined : get(parent_sid)
      return parent ? incarnationOf(parent) : null
    },

    origin(key: Key, from: BranchParent | null): SessionOrigin {
      const { tenant, agent, id } = key
      const sql = 'SELECT head, incarnation FROM tombstones WHERE tenant = ? AND agent = ? AND id = ?'
      const tombstone = driver.get<Tombstone>(sql, tenant, agent, id)
      const parent = from ? live({ tenant, agent: from.agent, id: from.id }) : undefined
      const branchPoint = parent && branchPointFor(parent)
      return { ...sessionOrigin(key, from, branchPoint, tombstone, least()), parent: parent ?? null }
    },

    create({ tenant, agent, id }: Key, { base, parent, incarnation }: SessionOrigin): number {
      const row = driver.get<{ sid: number }>(
        `INSERT INTO sessions (tenant, agent, id, base, parent_sid, incarnation, kind, status, updated_at, search, row)
         VALUES (?, ?, ?, ?, ?, ?, '', '', 0, '', '') RETURNING sid`,
        ...[tenant, agent, id, base, parent?.sid ?? null, incarnation],
      )
      return row!.sid
    },

    /** Older rows lack an owner and must not erase it. */
    saveRow(sid: number, { tenant, id }: Key, row: DirectoryRow, head = 0): void {
      driver.run(
        `UPDATE sessions SET kind = ?, status = ?, updated_at = ?, hangs_from = ?, owner = coalesce(?, owner), search = ?,
         row = ?, archived = ?, head_min = max(head_min, ?) WHERE sid = ?`,
        ...[row.kind, row.status, row.updatedAt, parentIdOf(row), rowOwner({ id }, row)],
        ...[searchText(id, row.title), JSON.stringify(row), row.isArchived ? 1 : 0, head, sid],
      )
      driver.run('DELETE FROM approvals WHERE sid = ?', sid)
      for (const [position, approval] of row.approvals.entries()) {
        driver.run(
          'INSERT INTO approvals (tenant, requested_at, sid, position, body) VALUES (?, ?, ?, ?, ?)',
          ...[tenant, approval.requestedAt, sid, position, JSON.stringify(approval)],
        )
      }
      saveSettled(driver, sid, tenant, row.settled ?? [])
    },

    saveWake: (sid: number, { inHand, dueAt }: Wake): void =>
      driver.run('UPDATE sessions SET in_hand = ?, due_at = ? WHERE sid = ?', inHand ? 1 : 0, dueAt, sid),
  }
}

/** Settled approvals never change, so only new ones are written. */
const saveSettled = (driver: SqlDriver, sid: number, tenant: string, settled: readonly SettledListing[]): void => {
  const [oldest] = settled
  if (!oldest) return
  const sql = 'SELECT max(seq) AS newest FROM settled_approvals WHERE sid = ?'
  const newest = driver.get<{ newest: number | null }>(sql, sid)?.newest ?? 0
  const added = settled.filter(({ seq }) => seq > newest)
  if (added.length === 0) return
  for (const approval of added)
    driver.run(
      'INSERT INTO settled_approvals (tenant, decided_at, sid, seq, body) VALUES (?, ?, ?, ?, ?)',
      ...[tenant, approval.decidedAt, sid, approval.seq, JSON.stringify(approval)],
    )
  driver.run('DELETE FROM settled_approvals WHERE sid = ? AND seq < ?', sid, oldest.seq)
}

const isLive = (record: SessionRecord, { tenant, agent, id }: Key): boolean =>
  record.tenant === tenant && record.agent === agent && record.id === id && record.removed === 0

const damaged = (key: Key, how: string): StoreFault => new StoreFault('corrupt', `${keyText(key)}: ${how}`)
