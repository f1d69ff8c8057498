// The directory in SQL: lists across sessions, from the rows that appends wrote.
import type { Key } from '../../kernel/event.ts'
import type {
  Directory,
  DirectoryRow,
  ListedSession,
  ListFilter,
  OpenApproval,
  SettledListing,
} from '../../kernel/ports/directory.ts'
import { type SqlDriver, type SqlValue, toStoreFault } from '../drivers/driver.ts'
import { cutPage, decodeCursor, type PositionedEntry, pageSize } from '../listing.ts'
import type { StoreMaintenance } from './maintenance.ts'
import type { SessionRecord, SessionTable } from './session-table.ts'

type SessionListRow = SessionRecord & { kind: DirectoryRow['kind']; status: string; updated_at: number; row: string }
type ApprovalRow = Key & { requested_at: number; sid: number; position: number; body: string }

/** Pages as they stand in the tables, one entry longer than the limit, which tells whether there are more. */
export const directoryPages = (driver: SqlDriver, sessions: SessionTable) => {
  const logOf = (record: SessionListRow): Pick<ListedSession, 'incarnation'> => {
    const incarnation = sessions.incarnationOf(record)
    return incarnation > 1 ? { incarnation } : {}
  }

  /** A session whose log is damaged is listed all the same; opening it says what is wrong. */
  const listed = (record: SessionListRow): ListedSession => {
    try {
      return { key: keyOf(record), head: sessions.head(record), row: rowOf(record), ...logOf(record) }
    } catch (cause) {
      const { code } = toStoreFault(driver, cause, 'list')
      if (code !== 'corrupt') throw cause
      return {
        key: keyOf(record),
        head: Math.max(record.head_min, record.base),
        row: damagedRow(record),
        ...logOf(record),
      }
    }
  }

  return {
    list(tenant: string, filter: ListFilter): PositionedEntry<ListedSession>[] {
      const { where, values } = conditions(tenant, filter)
      const isByCreation = filter.order === 'created'
      const { inner, outer } = isByCreation ? FIRST_MADE_FIRST : RECENT_FIRST
      const rows = driver.all<SessionListRow>(
        // Found by an index and read from the table: a damaged index may name a row of another tenant.
        `SELECT s.sid, s.tenant, s.agent, s.id, s.base, s.head_min, s.incarnation, s.kind, s.status, s.updated_at, s.row, s.removed
         FROM (SELECT sid, updated_at FROM sessions WHERE ${where} ORDER BY ${inner} LIMIT ?) AS k
         CROSS JOIN sessions AS s ON s.sid = k.sid ORDER BY ${outer}`,
        ...[...values, pageSize(filter.limit) + 1],
      )
      return rows
        .filter((record) => record.tenant === tenant && record.removed === 0)
        .map((record) => ({ at: isByCreation ? [record.sid] : [record.updated_at, record.sid], entry: listed(record) }))
    },

    /** Null: damaged. */
    approvals(tenant: string, { limit, cursor, viewer }: PageOptions): PositionedEntry<ApprovalListing | null>[] {
      const after = cursor === undefined ? [-1, 0, 0] : decodeCursor(cursor, 3)
      const rows = driver.all<ApprovalRow>(
        `SELECT s.tenant, s.agent, s.id, requested_at, a.sid, position, body
         FROM approvals AS a CROSS JOIN sessions AS s ON s.sid = a.sid
         WHERE a.tenant = ? AND s.tenant = a.tenant AND ${viewer === undefined ? 'true' : OPEN_TO}
         AND (requested_at, a.sid, position) > (?, ?, ?)
         ORDER BY requested_at, a.sid, position LIMIT ?`,
        ...[tenant, ...(viewer === undefined ? [] : [viewer]), ...after, pageSize(limit) + 1],
      )
      return rows.map((row) => ({
        at: [row.requested_at, row.sid, row.position],
        entry: approvalOf<OpenApproval>(row),
      }))
    },

    /** Newest decision first. Null: damaged. */
    settled(
      tenant: string,
      { limit, cursor, viewer }: PageOptions,
    ): PositionedEntry<ApprovalListing<SettledListing> | null>[] {
      const before = cursor === undefined ? NEWEST : decodeCursor(cursor, 3)
      const rows = driver.all<Key & { decided_at: number; sid: number; seq: number; body: string }>(
        `SELECT s.tenant, s.agent, s.id, decided_at, a.sid, seq, body
         FROM settled_approvals AS a CROSS JOIN sessions AS s ON s.sid = a.sid
         WHERE a.tenant = ? AND s.tenant = a.tenant AND ${viewer === undefined ? 'true' : OPEN_TO}
         AND (decided_at, a.sid, seq) < (?, ?, ?)
         ORDER BY decided_at DESC, a.sid DESC, seq DESC LIMIT ?`,
        ...[tenant, ...(viewer === undefined ? [] : [viewer]), ...before, pageSize(limit) + 1],
      )
      return rows.map((row) => ({ at: [row.decided_at, row.sid, row.seq], entry: approvalOf<SettledListing>(row) }))
    },
  }
}

/** Turns what was found into the answers of a Directory. */
export const listPage = (found: readonly PositionedEntry<ListedSession>[], { limit }: PageOptions) => {
  const { entries, next } = cutPage(found, pageSize(limit))
  return { sessions: entries, ...(next !== undefined && { next }) }
}

export const approvalsPage = <A extends OpenApproval>(
  found: readonly PositionedEntry<ApprovalListing<A> | null>[],
  { limit }: PageOptions,
) => {
  const { entries, next } = cutPage(found, pageSize(limit))
  return { approvals: entries.filter((approval) => approval !== null), ...(next !== undefined && { next }) }
}

export interface PageOptions {
  readonly limit?: number
  readonly cursor?: string
  readonly viewer?: string
}

/** As the inner and the outer query name the columns. */
const RECENT_FIRST = { inner: 'updated_at DESC, sid DESC', outer: 'k.updated_at DESC, k.sid DESC' } as const
const FIRST_MADE_FIRST = { inner: 'sid', outer: 'k.sid' } as const

/** Before every position of a list that has the newest first. */
const NEWEST = [Number.MAX_SAFE_INTEGER, 0, 0] as const

/** A session belongs to nobody, or to this user. */
const OPEN_TO = '(owner IS NULL OR owner = ?)'

export interface ApprovalListing<A extends OpenApproval = OpenApproval> {
  readonly key: Key
  readonly approval: A
}

/** Null: damaged. */
const approvalOf = <A extends OpenApproval>(row: Key & { readonly body: string }): ApprovalListing<A> | null => {
  const approval = parseOrNull<A>(row.body)
  return approval && typeof approval.id === 'string' ? { key: keyOf(row), approval } : null
}

export const sqliteDirectory = (
  driver: SqlDriver,
  sessions: SessionTable,
  maintenance: StoreMaintenance,
): Directory => {
  const pages = directoryPages(driver, sessions)

  const keys = (sql: string, ...values: SqlValue[]): Key[] =>
    driver.all<Key>(`SELECT tenant, agent, id ${sql}`, ...values).map(keyOf)

  return {
    list: async (tenant, filter) => maintenance.read(() => listPage(pages.list(tenant, filter), filter)),
    approvals: async (tenant, page) => maintenance.read(() => approvalsPage(pages.approvals(tenant, page), page)),
    settled: async (tenant, page) => maintenance.read(() => approvalsPage(pages.settled(tenant, page), page)),
    openApprovals: async () =>
      maintenance.read(() => driver.get<{ open: number }>('SELECT count(*) AS open FROM approvals')?.open ?? 0),
    due: async (now, limit) =>
      maintenance.read(() => keys('FROM sessions WHERE due_at <= ? ORDER BY due_at, sid LIMIT ?', now, limit)),
    inHand: async (limit) =>
      maintenance.read(() => keys('FROM sessions WHERE in_hand = 1 ORDER BY sid LIMIT ?', limit)),
    find: async (tenant, id) =>
      maintenance.read(() => sessions.withId(tenant, id).map((found) => ({ key: keyOf(found), owner: found.owner }))),
  }
}

/** A damaged row must not fail the whole list: the list shows its columns instead. */
const rowOf = (record: SessionListRow): DirectoryRow => {
  const intact = parseOrNull<DirectoryRow>(record.row)
  const isWhole = intact && Array.isArray(intact.approvals) && intact.detail && Number.isFinite(intact.createdAt)
  return isWhole ? intact : damagedRow(record)
}

const damagedRow = ({ id, kind, status, updated_at: at }: SessionListRow): DirectoryRow => ({
  kind,
  status,
  title: id,
  createdAt: at,
  updatedAt: at,
  parent: null,
  approvals: [],
  detail: { damaged: true },
})

const keyOf = ({ tenant, agent, id }: Key): Key => ({ tenant, agent, id })

/** A damaged row has no flags. */
const HAS_FLAG = `json_valid(row)
  AND EXISTS (SELECT 1 FROM json_each(iif(json_valid(row), row, '{}'), '$.detail.health.flags') WHERE value = ?)`

const conditions = (tenant: string, filter: ListFilter): { where: string; values: SqlValue[] } => {
  const parts: [sql: string, ...values: SqlValue[]][] = [['tenant = ? AND removed = 0', tenant]]
  if (filter.status !== undefined) parts.push(['status = ?', filter.status])
  if (filter.kind !== undefined) parts.push(['kind = ?', filter.kind])
  if (filter.agent !== undefined) parts.push(['agent = ?', filter.agent])
  // A list is one parameter: a Durable Object takes a hundred.
  if (filter.agents !== undefined)
    parts.push(['agent IN (SELECT value FROM json_each(?))', JSON.stringify(filter.agents)])
  if (filter.otherAgents !== undefined)
    parts.push(['agent NOT IN (SELECT value FROM json_each(?))', JSON.stringify(filter.otherAgents)])
  if (filter.archived !== undefined) parts.push(['archived = ?', filter.archived ? 1 : 0])
  if (filter.changedSince !== undefined) parts.push(['updated_at > ?', filter.changedSince])
  if (filter.flag !== undefined) parts.push([HAS_FLAG, filter.flag])
  if (filter.parentId !== undefined) parts.push(['hangs_from = ?', filter.parentId])
  if (filter.viewer !== undefined) parts.push([OPEN_TO, filter.viewer])
  // instr, not LIKE: a search for 100% means just that.
  if (filter.search !== undefined) parts.push(['instr(search, ?) > 0', filter.search.toLowerCase()])
  if (filter.cursor !== undefined)
    parts.push(
      filter.order === 'created'
        ? ['sid > ?', ...decodeCursor(filter.cursor, 1)]
        : ['(updated_at, sid) < (?, ?)', ...decodeCursor(filter.cursor, 2)],
    )
  return { where: parts.map(([sql]) => sql).join(' AND '), values: parts.flatMap(([, ...values]) => values) }
}

/** Null when it is damaged. */
export const parseOrNull = <T>(text: string): T | null => {
  try {
    return JSON.parse(text) as T | null
  } catch {
    return null
  }
}

/** A row with its owner, which rows from before owners were written lack. Null when it is damaged. */
export const rowWithOwner = (text: string, owner: string | null): DirectoryRow | null => {
  const row = parseOrNull<DirectoryRow>(text)
  return row && owner !== null && row.owner == null ? { ...row, owner } : row
}
