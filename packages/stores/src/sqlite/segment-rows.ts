// A segment is one row, or several parts if a single event is too large for a row.
import type { SqlDriver } from '../drivers/driver.ts'
import { checksum, type Segment, splitForRows } from './segments.ts'

/** Stored in `log` or `tail`, and possibly damaged. */
export interface SegmentRow extends Omit<Segment, 'isDamaged'> {
  readonly part: number
  readonly parts: number
  readonly sum: string
}

const columns = '(sid, last, part, parts, first, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)'
const insert = { log: `INSERT INTO log ${columns}`, tail: `INSERT INTO tail ${columns}` }

export const writeSegment = (driver: SqlDriver, table: keyof typeof insert, sid: number, segment: Segment): void => {
  const { first, last } = segment
  const texts = splitForRows(segment.body)
  for (let part = 0; part < texts.length; part++) {
    const body = texts[part]!
    const sum = segment.isDamaged ? 'bad' : checksum(body, sid, first, last, part, texts.length)
    driver.run(insert[table], sid, last, part, texts.length, first, body, sum)
  }
}

/** In order, at most `limit`. */
export const readSegments = (driver: SqlDriver, sid: number, after: number, limit: number): Segment[] => {
  const rows = driver.all<SegmentRow>(`${select} AND last > ? AND part = 0 ORDER BY last LIMIT ?`, sid, after, limit)
  return rows.map((row) => {
    if (row.parts === 1) return assembleSegment(sid, [row])
    return assembleSegment(sid, driver.all<SegmentRow>(`${select} AND last = ? ORDER BY part`, sid, row.last))
  })
}

const select = 'SELECT last, part, parts, first, body, sum FROM log WHERE sid = ?'

/** Marked as damaged if a part is damaged or missing. */
export const assembleSegment = (sid: number, parts: readonly SegmentRow[]): Segment => {
  const { first, last } = parts[0]!
  const intact = parts.every(
    (row, part) =>
      row.part === part &&
      row.parts === parts.length &&
      isText(row.body) &&
      row.sum === checksum(row.body, sid, row.first, row.last, part, parts.length),
  )
  const body = parts.length === 1 ? String(parts[0]!.body) : parts.map((row) => row.body).join('')
  return intact ? { first, last, body } : { first, last, body, isDamaged: true }
}

/** A flipped type byte turns text into something else. */
const isText = (value: unknown): value is string => typeof value === 'string'

/** Reads the row through the index but from the table, because index entries have no checksum. */
const newest = `SELECT l.sid, l.last, k.last AS indexed FROM
  (SELECT n, last FROM log INDEXED BY log_place WHERE sid = ? ORDER BY last DESC LIMIT 1) AS k
  LEFT JOIN log AS l ON l.n = k.n`

/** Undefined if the session has no segments, null if the index is damaged. */
export const lastSeqInLog = (driver: SqlDriver, sid: number): number | null | undefined => {
  const row = driver.get<{ sid: number | null; last: number | null; indexed: number }>(newest, sid)
  if (!row) return undefined
  return row.sid === sid && row.last === row.indexed ? row.last : null
}
