// Cached folds. A snapshot is a small row and texts: the state, and one text per settled piece of a message, written once and
// shared by all later snapshots. Being a cache, a damaged one is passed over.
import type { KnownPieces, Snapshot, SnapshotWrite } from '../../kernel/ports/log.ts'
import type { SqlDriver } from '../drivers/driver.ts'
import { type LineageLevel, snapshotCandidates, unchangedPieces } from '../lineage.ts'
import { checksum, splitForRows } from './segments.ts'
import type { SessionRecord } from './session-table.ts'

/** The state's place among the pieces. */
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

/** The newest snapshot of a lineage that is intact. Pieces that the opener has are not read. */
export const bestSnapshot = (driver: SqlDriver, all: Levels, known = nothing): Snapshot | null => {
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
  for (const { snapshot: row, levels } of snapshotCandidates(all, snapshotsOf)) {
    const unchanged = () => unchangedPieces(all, known, row, rewrittenSince(row.settled))
    const snapshot = readSnapshot(driver, levels, row, unchanged)
    if (snapshot) return snapshot
  }
  return null
}

const readSnapshot = (
  driver: SqlDriver,
  levels: Levels,
  row: SnapshotRow,
  unchanged: () => ReadonlySet<number>,
): Snapshot | null => {
  const { sid } = levels[0]!.session
  const { seq, fold_version: foldVersion, settled } = row
  if (row.sum !== checksum(String(foldVersion), sid, seq, settled)) return null
  const state = readState(driver, sid, seq)
  if (state === null) return null

  const pieces: (string | null)[] = Array.from({ length: settled }, () => null)
  for (const [from, to] of gaps(settled, unchanged())) {
    const found = new Map<number, string | null>()
    for (const { session, upTo } of levels) {
      if (found.size === to - from) break
      for (const [index, text] of readTexts(driver, session.sid, from, to, Math.min(seq, upTo))) {
        if (!found.has(index)) found.set(index, text)
      }
    }
    for (let index = from; index < to; index++) {
      const text = found.get(index)
      if (typeof text !== 'string') return null
      pieces[index] = text
    }
  }
  return { seq, foldVersion, state, pieces }
}

/** The ranges of indexes that changed: the first index, and the one behind the last. */
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

/**
 * Texts by index, each as of `seq`: the newest not after it. A later rewrite of a piece must not spoil the older
 * snapshot that a branch still needs. Null for a damaged one, which must not give way to an ancestor's older version.
 */
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

/** The parts of one text as a whole, unless one is damaged. */
const joinIntactParts = (sid: number, parts: readonly TextRow[]): string | null => {
  const isWhole = parts.every(
    ({ idx, seq, body, sum }, part) =>
      typeof body === 'string' && sum === checksum(body, sid, idx, seq, part, parts.length),
  )
  return isWhole ? parts.map(({ body }) => body).join('') : null
}
