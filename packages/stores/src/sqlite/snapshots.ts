// Settled message pieces are written once and shared by later snapshots. A damaged snapshot is skipped: it is only a cache.

import { type LineageLevel, snapshotCandidates, unchangedPieces } from '@bridle/kernel/memory/lineage'
import type { KnownPieces, Snapshot, SnapshotWrite } from '@bridle/kernel/ports/log'
import type { SqlDriver } from '../drivers/driver.ts'
import { checksum, splitForRows } from './segments.ts'
import type { SessionRecord } from './session-table.ts'

/** Reading and verifying a page takes a few milliseconds. */
const PIECES_PAGE_CHARS = 64_000
/** The first page, because each piece may be as large as a row. */
const PIECES_PER_PAGE_MIN = 4
/** More pieces per page would hardly save queries. */
const PIECES_PER_PAGE_MAX = 128

/** The index under which the state is stored. */
const stateIndex = -1

interface SnapshotRow {
  readonly seq: number
  readonly fold_version: string
  readonly settled: number
  readonly sum: string
}

interface TextRow {
  readonly idx: number
  readonly seq: number
  readonly body: string
  readonly sum: string
}

export const writeSnapshot = (driver: SqlDriver, sid: number, snapshot: SnapshotWrite): void => {
  const { seq, foldVersion, settled, state, pieces, keep } = snapshot
  driver.run('DELETE FROM snapshots WHERE sid = ? AND (keep = 0 OR seq = ?)', sid, seq)
  driver.run(
    'INSERT INTO snapshots (sid, seq, fold_version, settled, keep, sum) VALUES (?, ?, ?, ?, ?, ?)',
    ...[sid, seq, foldVersion, settled, keep ? 1 : 0, checksum(foldVersion, sid, seq, settled)],
  )
  const orphans = 'seq NOT IN (SELECT seq FROM snapshots WHERE sid = ?)'
  driver.run(`DELETE FROM texts WHERE sid = ? AND idx = ${stateIndex} AND ${orphans}`, sid, sid)
  writeText(driver, sid, stateIndex, seq, state)
  for (const { index, text } of pieces) writeText(driver, sid, index, seq, text)
}

const writeText = (driver: SqlDriver, sid: number, index: number, seq: number, text: string): void => {
  driver.run('DELETE FROM texts WHERE sid = ? AND idx = ? AND seq = ?', sid, index, seq)
  const bodies = splitForRows(text)
  for (const [part, body] of bodies.entries()) {
    const sum = checksum(body, sid, index, seq, part, bodies.length)
    driver.run(
      'INSERT INTO texts (sid, idx, seq, part, parts, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[sid, index, seq, part, bodies.length, body, sum],
    )
  }
}

const nothing: KnownPieces = { seq: 0, count: 0 }

type Levels = readonly LineageLevel<SessionRecord>[]

/** `isLong`: one of many reads, so others may have a turn first. */
export type SnapshotRead = <T>(work: () => T, isLong: boolean) => Promise<T>

/** The newest intact snapshot of a lineage, without pieces that the opener has. Paging is safe because pieces never change. */
export const bestSnapshot = async (
  driver: SqlDriver,
  all: Levels,
  read: SnapshotRead,
  known = nothing,
): Promise<Snapshot | null> => {
  const snapshotsOf = ({ session, upTo }: LineageLevel<SessionRecord>) =>
    driver.all<SnapshotRow>(
      'SELECT seq, fold_version, settled, sum FROM snapshots WHERE sid = ? AND seq <= ?',
      ...[session.sid, upTo],
    )
  const rewrittenSince =
    (settled: number) =>
    ({ sid }: SessionRecord, seq: number) =>
      driver
        .all<{ idx: number }>(
          'SELECT idx FROM texts WHERE sid = ? AND seq > ? AND +idx BETWEEN 0 AND ?',
          ...[sid, seq, settled - 1],
        )
        .map(({ idx }) => idx)
  for (const { snapshot: row, levels } of await read(() => [...snapshotCandidates(all, snapshotsOf)], false)) {
    const first = await read(() => {
      const state = readIntactState(driver, levels, row)
      const unchanged = state === null ? none : unchangedPieces(all, known, row, rewrittenSince(row.settled))
      return { state, unchanged }
    }, false)
    const pieces = first.state === null ? null : await readPieces(driver, levels, row, first.unchanged, read)
    if (first.state !== null && pieces)
      return { seq: row.seq, foldVersion: row.fold_version, state: first.state, pieces }
  }
  return null
}

const none: ReadonlySet<number> = new Set()

const readIntactState = (driver: SqlDriver, levels: Levels, row: SnapshotRow): string | null => {
  const { sid } = levels[0]!.session
  const { seq, fold_version: foldVersion, settled } = row
  return row.sum === checksum(String(foldVersion), sid, seq, settled) ? readState(driver, sid, seq) : null
}

/** Null if a piece is missing or damaged. */
const readPieces = async (
  driver: SqlDriver,
  levels: Levels,
  { seq, settled }: SnapshotRow,
  unchanged: ReadonlySet<number>,
  read: SnapshotRead,
): Promise<(string | null)[] | null> => {
  const pieces: (string | null)[] = Array.from({ length: settled }, () => null)
  let count = PIECES_PER_PAGE_MIN
  let isLong = false
  for (const [start, end] of gaps(settled, unchanged))
    for (let from = start; from < end; ) {
      const to = Math.min(end, from + count)
      const page = await read(() => readPage(driver, levels, [from, to], seq), isLong)
      if (!page) return null
      let chars = 0
      for (const [index, text] of page) {
        pieces[index] = text
        chars += text.length
      }
      // Aim for pages of similar size in characters.
      count = clampCount(chars > PIECES_PAGE_CHARS ? count / 2 : chars < PIECES_PAGE_CHARS / 4 ? count * 2 : count)
      isLong = true
      from = to
    }
  return pieces
}

const clampCount = (count: number): number => Math.min(PIECES_PER_PAGE_MAX, Math.max(1, Math.floor(count)))

/** The newest version of each piece in the lineage. Null if one is missing or damaged. */
const readPage = (
  driver: SqlDriver,
  levels: Levels,
  [from, to]: readonly [number, number],
  seq: number,
): Map<number, string> | null => {
  const found = new Map<number, string | null>()
  for (const { session, upTo } of levels) {
    if (found.size === to - from) break
    for (const [index, text] of readTexts(driver, session.sid, from, to, Math.min(seq, upTo)))
      if (!found.has(index)) found.set(index, text)
  }
  const whole = [...found.values()].every((text) => typeof text === 'string')
  return whole && found.size === to - from ? (found as Map<number, string>) : null
}

/** Half-open ranges of changed indexes. */
const gaps = (count: number, unchanged: ReadonlySet<number>): [number, number][] => {
  const found: [number, number][] = []
  for (let index = 0; index < count; index++) {
    if (unchanged.has(index)) continue
    const last = found.at(-1)
    if (last?.[1] === index) last[1] += 1
    else found.push([index, index + 1])
  }
  return found
}

const readState = (driver: SqlDriver, sid: number, seq: number): string | null => {
  const rows = driver.all<TextRow>(
    `SELECT idx, seq, body, sum FROM texts WHERE sid = ? AND idx = ${stateIndex} AND seq = ? ORDER BY part`,
    ...[sid, seq],
  )
  return rows.length === 0 ? null : joinIntactParts(sid, rows)
}

/** Each text as of `seq`, since branches need older snapshots. Damaged texts are null, so that no ancestor's version replaces them. */
const readTexts = (
  driver: SqlDriver,
  sid: number,
  from: number,
  to: number,
  seq: number,
): Map<number, string | null> => {
  const rows = driver.all<TextRow>(
    `SELECT idx, seq, body, sum FROM texts AS t WHERE sid = ? AND idx >= ? AND idx < ?
     AND seq = (SELECT max(seq) FROM texts WHERE sid = t.sid AND idx = t.idx AND seq <= ?) ORDER BY idx, part`,
    ...[sid, from, to, seq],
  )
  const texts = new Map<number, string | null>()
  for (const [index, parts] of Map.groupBy(rows, ({ idx }) => idx)) texts.set(index, joinIntactParts(sid, parts))
  return texts
}

/** Null if a part is damaged. */
const joinIntactParts = (sid: number, parts: readonly TextRow[]): string | null => {
  const isWhole = parts.every(
    ({ idx, seq, body, sum }, part) =>
      typeof body === 'string' && sum === checksum(body, sid, idx, seq, part, parts.length),
  )
  return isWhole ? parts.map(({ body }) => body).join('') : null
}
