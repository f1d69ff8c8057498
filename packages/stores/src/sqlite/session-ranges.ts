// Index ranges that yield a list in its order, and the remaining conditions for their rows.

import { decodeCursor } from '@bridle/kernel/memory/listing'
import type { ListFilter } from '@bridle/kernel/ports/directory'
import type { SqlValue } from '../drivers/driver.ts'

export interface SqlCondition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

export interface IndexRange extends SqlCondition {
  readonly index: string
}

export interface SessionRanges {
  /** Merged, they yield the list in order, possibly with extra rows. */
  readonly ranges: readonly IndexRange[]
  /** Null if every row in the ranges belongs to the list. */
  readonly filter: SqlCondition | null
}

export const OPEN_TO = '(owner IS NULL OR owner = ?)'

/** Prefers the narrowest index: sessions have few children, and users few sessions. */
export const sessionRanges = (tenant: string, filter: ListFilter): SessionRanges => {
  const { status, parentId, viewer, order, changedSince, cursor } = filter
  const isByCreation = order === 'created'
  const position: Part[] = [
    ...(cursor === undefined ? [] : [behind(cursor, isByCreation)]),
    ...(changedSince === undefined ? [] : [['updated_at > ?', changedSince] as const]),
  ]
  const range = (index: string, ...parts: readonly Part[]): IndexRange => ({
    index,
    ...joined([['tenant = ? AND removed = 0', tenant], ...parts, ...position]),
  })
  const found = (ranges: readonly IndexRange[], served: keyof ListFilter | null): SessionRanges => {
    const parts = filterParts(served === null ? filter : { ...filter, [served]: undefined })
    return { ranges, filter: parts.length === 0 ? null : joined(parts) }
  }
  if (isByCreation)
    return parentId === undefined
      ? found([range('sessions_created')], null)
      : found([range('sessions_children', ['hangs_from = ?', parentId])], 'parentId')
  if (parentId !== undefined) return found([range('sessions_hanging', ['hangs_from = ?', parentId])], 'parentId')
  if (viewer !== undefined)
    return found([range('sessions_owner', ['owner IS NULL']), range('sessions_owner', ['owner = ?', viewer])], 'viewer')
  if (status !== undefined) return found([range('sessions_status', ['status = ?', status])], 'status')
  return found([range('sessions_recent')], null)
}

type Part = readonly [sql: string, ...values: SqlValue[]]

const behind = (cursor: string, isByCreation: boolean): Part =>
  isByCreation ? ['sid > ?', ...decodeCursor(cursor, 1)] : ['(updated_at, sid) < (?, ?)', ...decodeCursor(cursor, 2)]

const joined = (parts: readonly Part[]): SqlCondition => ({
  where: parts.map(([sql]) => sql).join(' AND '),
  values: parts.flatMap(([, ...values]) => values),
})

/** Damaged rows have no flags. */
const HAS_FLAG = `json_valid(row)
  AND EXISTS (SELECT 1 FROM json_each(iif(json_valid(row), row, '{}'), '$.detail.health.flags') WHERE value = ?)`

const filterParts = (filter: ListFilter): Part[] => {
  const parts: Part[] = []
  if (filter.status !== undefined) parts.push(['status = ?', filter.status])
  if (filter.kind !== undefined) parts.push(['kind = ?', filter.kind])
  if (filter.agent !== undefined) parts.push(['agent = ?', filter.agent])
  // A list is one parameter: a Durable Object binds at most a hundred.
  if (filter.agents !== undefined)
    parts.push(['agent IN (SELECT value FROM json_each(?))', JSON.stringify(filter.agents)])
  if (filter.otherAgents !== undefined)
    parts.push(['agent NOT IN (SELECT value FROM json_each(?))', JSON.stringify(filter.otherAgents)])
  if (filter.archived !== undefined) parts.push(['archived = ?', filter.archived ? 1 : 0])
  if (filter.flag !== undefined) parts.push([HAS_FLAG, filter.flag])
  if (filter.parentId !== undefined) parts.push(['hangs_from = ?', filter.parentId])
  if (filter.viewer !== undefined) parts.push([OPEN_TO, filter.viewer])
  // instr instead of LIKE, so that % has no special meaning.
  if (filter.search !== undefined) parts.push(['instr(search, ?) > 0', filter.search.toLowerCase()])
  return parts
}
