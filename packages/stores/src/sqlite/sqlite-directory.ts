// Lists across sessions, from the rows that appends wrote.
import type { Key } from '@bridle/kernel/event'
import { cutPage, decodeCursor, encodeCursor, type PositionedEntry, pageSize } from '@bridle/kernel/memory/listing'
import { mayOpen } from '@bridle/kernel/owner'
import type {
  Directory,
  DirectoryRow,
  ListedSession,
  ListFilter,
  ListReader,
  OpenApproval,
  SettledListing,
} from '@bridle/kernel/ports/directory'
import { tryOr } from '@bridle/kernel/try-or'
import { type SqlDriver, type SqlValue, toStoreFault } from '../drivers/driver.ts'
import type { StoreMaintenance } from './maintenance.ts'
import { type IndexRange, OPEN_TO, type SqlCondition, sessionRanges } from './session-ranges.ts'
import type { SessionRecord, SessionTable } from './session-table.ts'
import { sliceTurns } from './slice-turns.ts'

/** Takes about 2 ms; then other work gets a turn. */
export const SLICE_ROWS = 2_000
/** Bounds a request to 400,000 rows instead of minutes. A short page then has a cursor to continue from. */
export const SLICES_MAX = 200

type SessionListRow = SessionRecord & {
  kind: DirectoryRow['kind']
  status: DirectoryRow['status']
  updated_at: number
  row: string
}

/** Slices have one entry beyond the limit, which signals a next page. */
const directoryPages = (driver: SqlDriver, sessions: SessionTable) => {
  const logOf = (record: SessionListRow): Pick<ListedSession, 'incarnation'> => {
    const incarnation = sessions.incarnationOf(record)
    return incarnation > 1 ? { incarnation } : {}
  }

  /** Sessions with a damaged log are listed, too; opening one reports the damage. */
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

  /** The end position of a slice. Null if the ranges end first. */
  const endOfSlice = (ranges: readonly IndexRange[], { isByCreation, order }: ListOrder): readonly number[] | null => {
    const { sql, values } = merged(ranges)
    const row = driver.get<{ sid: number; updated_at: number }>(
      `${sql} ORDER BY ${order} LIMIT 1 OFFSET ?`,
      ...[...values, SLICE_ROWS - 1],
    )
    return row ? (isByCreation ? [row.sid] : [row.updated_at, row.sid]) : null
  }

  return {
    list(tenant: string, filter: ListFilter): Scan<ListedSession> {
      const { ranges, filter: rest } = sessionRanges(tenant, filter)
      const order = filter.order === 'created' ? FIRST_MADE_FIRST : RECENT_FIRST
      const end = rest && endOfSlice(ranges, order)
      const { sql, values } = merged(
        ranges.map((range) =>
          narrowed(range, ...(rest ? [rest] : []), ...(end ? [{ where: order.upTo, values: end }] : [])),
        ),
      )
      const rows = driver.all<SessionListRow>(
        // Read from the table: a damaged index may name another tenant's row.
        `SELECT s.sid, s.tenant, s.agent, s.id, s.base, s.head_min, s.incarnation, s.kind, s.status, s.updated_at, s.row, s.removed,
         s.owner FROM (${sql} ORDER BY ${order.order} LIMIT ?) AS k CROSS JOIN sessions AS s ON s.sid = k.sid ORDER BY ${order.outer}`,
        ...[...values, pageSize(filter.limit) + 1],
      )
      const found = rows
        .filter((record) => record.tenant === tenant && record.removed === 0)
        .filter(({ owner }) => mayOpen(filter.viewer ?? null, owner))
        .map((record) => ({
          at: order.isByCreation ? [record.sid] : [record.updated_at, record.sid],
          entry: listed(record),
        }))
      return { found, end }
    },

    approvals: (tenant: string, page: PageOptions) => approvalScan<OpenApproval>(driver, 'approvals', tenant, page),

    settled: (tenant: string, page: PageOptions) =>
      approvalScan<SettledListing>(driver, 'settled_approvals', tenant, page),
  }
}

/** `start`: a position before all others. */
const approvalOrders = {
  approvals: {
    columns: ['requested_at', 'sid', 'position'],
    order: 'requested_at, a.sid, position',
    behind: '(requested_at, a.sid, position) > (?, ?, ?)',
    upTo: '(requested_at, a.sid, position) <= (?, ?, ?)',
    start: [-1, 0, 0],
  },
  settled_approvals: {
    columns: ['decided_at', 'sid', 'seq'],
    order: 'decided_at DESC, a.sid DESC, seq DESC',
    behind: '(decided_at, a.sid, seq) < (?, ?, ?)',
    upTo: '(decided_at, a.sid, seq) >= (?, ?, ?)',
    start: [Number.MAX_SAFE_INTEGER, 0, 0],
  },
} as const

/** Damaged entries are null. If every row is listed, the page size bounds the slice. */
const approvalScan = <A extends OpenApproval>(
  driver: SqlDriver,
  table: keyof typeof approvalOrders,
  tenant: string,
  { limit, cursor, viewer }: PageOptions,
): Scan<ApprovalListing<A> | null> => {
  const { columns: names, order, behind, ...of } = approvalOrders[table]
  const columns = names.map((name) => `a.${name}`).join(', ')
  const from = cursor === undefined ? of.start : decodeCursor(cursor, 3)
  const last =
    viewer === undefined
      ? undefined
      : driver.get<Record<string, number>>(
          `SELECT ${columns} FROM ${table} AS a WHERE a.tenant = ? AND ${behind} ORDER BY ${order} LIMIT 1 OFFSET ?`,
          ...[tenant, ...from, SLICE_ROWS - 1],
        )
  const end = last ? Object.values(last) : null
  const openTo = viewer === undefined ? 'true' : OPEN_TO
  const upTo = end ? of.upTo : 'true'
  const rows = driver.all<Key & { readonly body: string; readonly [column: string]: unknown }>(
    `SELECT s.tenant, s.agent, s.id, ${columns}, body FROM ${table} AS a CROSS JOIN sessions AS s ON s.sid = a.sid
     WHERE a.tenant = ? AND s.tenant = a.tenant AND ${openTo} AND ${behind} AND ${upTo} ORDER BY ${order} LIMIT ?`,
    ...[tenant, ...(viewer === undefined ? [] : [viewer]), ...from, ...(end ?? []), pageSize(limit) + 1],
  )
  return { found: rows.map((row) => ({ at: names.map((name) => Number(row[name])), entry: approvalOf<A>(row) })), end }
}

/** With an ORDER BY that matches the indexes, SQLite merges the ranges without sorting. */
const merged = (ranges: readonly IndexRange[]): { readonly sql: string; readonly values: SqlValue[] } => ({
  sql: ranges
    .map(({ index, where }) => `SELECT sid, updated_at FROM sessions INDEXED BY ${index} WHERE ${where}`)
    .join(' UNION ALL '),
  values: ranges.flatMap(({ values }) => values),
})

const narrowed = (range: IndexRange, ...further: readonly SqlCondition[]): IndexRange => ({
  index: range.index,
  where: [range, ...further].map(({ where }) => where).join(' AND '),
  values: [range, ...further].flatMap(({ values }) => values),
})

/** `end`: where reading stopped. Null at the end of the list. */
export interface Scan<T> {
  readonly found: readonly PositionedEntry<T>[]
  readonly end: readonly number[] | null
}

/** Lists in slices that take turns. `read` sees committed data only. */
export const directoryScans = (
  driver: SqlDriver,
  sessions: SessionTable,
  read: <T>(work: () => T) => T = (work) => work(),
  slicesMax = SLICES_MAX,
) => {
  const pages = directoryPages(driver, sessions)
  const turns = sliceTurns(() => driver.pause())

  const inSlices =
    <F extends PageOptions, T>(page: (tenant: string, filter: F) => Scan<T>) =>
    async (tenant: string, filter: F, reader?: ListReader): Promise<Scan<T>> => {
      const size = pageSize(filter.limit)
      const found: PositionedEntry<T>[] = []
      let rest = filter
      let end: readonly number[] | null = null
      let slices = 0
      await turns.read(reader, () => {
        const slice = read(() => page(tenant, { ...rest, limit: size - found.length }))
        found.push(...slice.found)
        end = slice.end
        if (end === null || found.length > size || ++slices >= slicesMax) return true
        rest = { ...rest, cursor: encodeCursor(end) }
        return false
      })
      // A full page may not reach this end.
      return { found, end: found.length > size ? null : end }
    }

  return { list: inSlices(pages.list), approvals: inSlices(pages.approvals), settled: inSlices(pages.settled) }
}

export const listPage = (scan: Scan<ListedSession>, { limit }: PageOptions) => {
  const { entries, next } = cutPage(scan.found, pageSize(limit), scan.end)
  return { sessions: entries, ...(next !== undefined && { next }) }
}

export const approvalsPage = <A extends OpenApproval>(
  scan: Scan<ApprovalListing<A> | null>,
  { limit }: PageOptions,
) => {
  const { entries, next } = cutPage(scan.found, pageSize(limit), scan.end)
  return { approvals: entries.filter((approval) => approval !== null), ...(next !== undefined && { next }) }
}

export type PageOptions = Pick<ListFilter, 'limit' | 'cursor' | 'viewer'>

/** In the column names of the inner and outer query. */
interface ListOrder {
  readonly isByCreation: boolean
  readonly order: string
  readonly outer: string
  /** Matches rows up to a position. */
  readonly upTo: string
}

const RECENT_FIRST: ListOrder = {
  isByCreation: false,
  order: 'updated_at DESC, sid DESC',
  outer: 'k.updated_at DESC, k.sid DESC',
  upTo: '(updated_at, sid) >= (?, ?)',
}
const FIRST_MADE_FIRST: ListOrder = { isByCreation: true, order: 'sid', outer: 'k.sid', upTo: 'sid <= ?' }

export interface ApprovalListing<A extends OpenApproval = OpenApproval> {
  readonly key: Key
  readonly approval: A
}

/** Null if damaged. */
const approvalOf = <A extends OpenApproval>(row: Key & { readonly body: string }): ApprovalListing<A> | null => {
  const approval = parseOrNull<A>(row.body)
  return approval && typeof approval.id === 'string' ? { key: keyOf(row), approval } : null
}

export const sqliteDirectory = (
  driver: SqlDriver,
  sessions: SessionTable,
  maintenance: StoreMaintenance,
): Directory => {
  const scans = directoryScans(driver, sessions, maintenance.read)

  const keys = (sql: string, ...values: SqlValue[]): Key[] =>
    driver.all<Key>(`SELECT tenant, agent, id ${sql}`, ...values).map(keyOf)

  return {
    list: async (tenant, filter, reader) => listPage(await scans.list(tenant, filter, reader), filter),
    approvals: async (tenant, page, reader) => approvalsPage(await scans.approvals(tenant, page, reader), page),
    settled: async (tenant, page, reader) => approvalsPage(await scans.settled(tenant, page, reader), page),
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

/** Damaged rows must not fail the list: their columns are shown instead. */
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
  detail: {},
})

const keyOf = ({ tenant, agent, id }: Key): Key => ({ tenant, agent, id })

/** Null if damaged. */
const parseOrNull = <T>(text: string): T | null => tryOr(null, () => JSON.parse(text) as T | null)

/** The row in the directory of a session that exists. */
export const storedRow = (driver: SqlDriver, { tenant, agent, id }: Key) =>
  driver.get<{ readonly row: string; readonly owner: string | null }>(
    'SELECT row, owner FROM sessions WHERE tenant = ? AND id = ? AND agent = ? AND removed = 0',
    ...[tenant, id, agent],
  )

/** Adds the owner, which older rows lack. Null if damaged. */
export const rowWithOwner = (text: string, owner: string | null): DirectoryRow | null => {
  const row = parseOrNull<DirectoryRow>(text)
  return row && owner !== null && row.owner == null ? { ...row, owner } : row
}
