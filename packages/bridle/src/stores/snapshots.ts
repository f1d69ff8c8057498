// Cached folds. A snapshot is a small row and texts: the state, and one text per settled message, written once and
// shared by all later snapshots. Being a cache, a damaged one is passed over.
import type { Snapshot, SnapshotWrite } from '../kernel/ports.ts'
import type { Driver } from './driver.ts'
import { checksum, pieces } from './segments.ts'
import type { Level } from './sessions.ts'

/** The state's place among the messages. */
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

export function writeSnapshot(driver: Driver, sid: number, snapshot: SnapshotWrite): void {
  const { seq, foldVersion, settled, state, messages, keep } = snapshot
  driver.run('DELETE FROM snapshots WHERE sid = ? AND (keep = 0 OR seq = ?)', sid, seq)
  driver.run(
    'INSERT INTO snapshots (sid, seq, fold_version, settled, keep, sum) VALUES (?, ?, ?, ?, ?, ?)',
    ...[sid, seq, foldVersion, settled, keep ? 1 : 0, checksum(foldVersion, sid, seq, settled)],
  )
  const orphans = 'seq NOT IN (SELECT seq FROM snapshots WHERE sid = ?)'
  driver.run(`DELETE FROM texts WHERE sid = ? AND idx = ${stateIndex} AND ${orphans}`, sid, sid)
  writeText(driver, sid, stateIndex, seq, state)
  for (const { index, text } of messages) writeText(driver, sid, index, seq, text)
}

function writeText(driver: Driver, sid: number, index: number, seq: number, text: string): void {
  driver.run('DELETE FROM texts WHERE sid = ? AND idx = ? AND seq = ?', sid, index, seq)
  const bodies = pieces(text)
  for (const [part, body] of bodies.entries()) {
    const sum = checksum(body, sid, index, seq, part, bodies.length)
    driver.run(
      'INSERT INTO texts (sid, idx, seq, part, parts, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[sid, index, seq, part, bodies.length, body, sum],
    )
  }
}

/** The newest snapshot of a lineage that is intact. */
export function bestSnapshot(driver: Driver, levels: readonly Level[]): Snapshot | null {
  for (const [depth, { record, upTo }] of levels.entries()) {
    const rows = driver.all<SnapshotRow>(
      'SELECT seq, fold_version, settled, sum FROM snapshots WHERE sid = ? AND seq <= ? ORDER BY seq DESC',
      ...[record.sid, upTo],
    )
    for (const row of rows) {
      const snapshot = readSnapshot(driver, levels.slice(depth), row)
      if (snapshot) return snapshot
    }
  }
  return null
}

function readSnapshot(driver: Driver, levels: readonly Level[], row: SnapshotRow): Snapshot | null {
  const { sid } = levels[0]!.record
  const { seq, fold_version: foldVersion, settled } = row
  if (row.sum !== checksum(String(foldVersion), sid, seq, settled)) return null
  const state = readTexts(driver, sid, stateIndex, stateIndex + 1, seq).get(stateIndex)
  if (typeof state !== 'string') return null

  const found = new Map<number, string | null>()
  for (const { record, upTo } of levels) {
    if (found.size === settled) break
    for (const [index, text] of readTexts(driver, record.sid, 0, settled, Math.min(seq, upTo))) {
      if (!found.has(index)) found.set(index, text)
    }
  }
  const messages: string[] = []
  for (let index = 0; index < settled; index++) {
    const text = found.get(index)
    if (typeof text !== 'string') return null
    messages.push(text)
  }
  return { seq, foldVersion, state, messages }
}

/**
 * Texts by index, each as of `seq`: the newest not after it. A later rewrite of a message must not spoil the older
 * snapshot that a branch still needs. Null for a damaged one, which must not give way to an ancestor's older version.
 */
function readTexts(driver: Driver, sid: number, from: number, to: number, seq: number): Map<number, string | null> {
  const rows = driver.all<TextRow>(
    `SELECT idx, seq, body, sum FROM texts AS t WHERE sid = ? AND idx >= ? AND idx < ?
     AND seq = (SELECT max(seq) FROM texts WHERE sid = t.sid AND idx = t.idx AND seq <= ?) ORDER BY idx, part`,
    ...[sid, from, to, seq],
  )
  const texts = new Map<number, string | null>()
  const parts = Map.groupBy(rows, ({ idx }) => idx)
  for (const [index, list] of parts) {
    const intact = list.every(
      ({ seq: at, body, sum }, part) =>
        typeof body === 'string' && sum === checksum(body, sid, index, at, part, list.length),
    )
    texts.set(index, intact ? list.map(({ body }) => body).join('') : null)
  }
  return texts
}
