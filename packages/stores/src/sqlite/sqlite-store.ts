// Log and Directory over any SQL driver. Appends are queued and committed together; reads see committed data only.
import { type Event, type Key, keyText } from '@bridle/kernel/event'
import { checkAppend, checkKey, fencedFault } from '@bridle/kernel/memory/checks'
import { eventStretches, type LineageLevel } from '@bridle/kernel/memory/lineage'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { BranchParent, Lease, Log, LogAppend, StoredAnswer } from '@bridle/kernel/ports/log'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { SqlDriver } from '../drivers/driver.ts'
import { openMaintenance } from './maintenance.ts'
import { hideSession, reserveNumbers } from './removal.ts'
import { currentEpoch } from './schema.ts'
import { readSegments } from './segment-rows.ts'
import { decodeEvents, encodeEvents, type Segment } from './segments.ts'
import { openSessionTable, type SessionOrigin, type SessionRecord } from './session-table.ts'
import { bestSnapshot, type SnapshotRead, writeSnapshot } from './snapshots.ts'
import { sqliteDirectory } from './sqlite-directory.ts'
import { openTail, type Tail, type TailLimits } from './tail.ts'

/** Takes about a millisecond to read and parse; then other work gets a turn. */
const LARGE_PAGE_CHARS = 100_000

export interface SqliteStore {
  readonly log: Log
  readonly directory: Directory
  readonly epoch: number
  /** Why writes fail now, or null. */
  writeFault(): StoreFault | null
  /** Commits queued appends and refuses later ones. */
  close(): void
}

/** Requires a migrated database. A later owner's epoch fences this one's appends. */
export const sqliteStore = (driver: SqlDriver, epoch: number, limits: TailLimits): SqliteStore => {
  const tail = openTail(driver, limits)
  const sessions = openSessionTable(driver, tail)
  const maintenance = openMaintenance(driver, tail, epoch)
  // The session of each lease. Leases of a removed session never touch its successor.
  const bound = new WeakMap<Lease, number>()

  const log: Log = {
    open: async (key, from, known, takeTurns) => {
      if (maintenance.ownerEpoch() > epoch) return null
      const found = maintenance.read(() => findLog(key, from ?? null, known?.hasState))
      if (!found) return null
      const { sid, lineage, ...rest } = found
      const read: SnapshotRead = async (work, isLong) => {
        const step = async () => maintenance.read(work)
        return isLong && takeTurns ? takeTurns(step) : step()
      }
      const snapshot = lineage && (await bestSnapshot(driver, lineage, read, sid === null ? known : undefined))
      const lease: Lease = { key, epoch, snapshot, ...rest }
      if (sid !== null) bound.set(lease, sid)
      return lease
    },

    append: (lease, append) =>
      new Promise((resolve, reject) => {
        // Encoded once, outside of the commit, and before the caller can modify the events.
        const segments = encodeEvents(lease.key, append.events)
        let sid = 0
        maintenance.write({
          chars: sizeOf(segments, append),
          prepare() {
            if (lease.epoch < maintenance.ownerEpoch()) throw fencedFault(lease.key)
            const place = locate(lease)
            checkAppend(lease, append, place.head, place.origin !== undefined)
            for (const { commandId } of append.results ?? []) checkUnanswered(lease.key, place.sid, commandId)
            return () => {
              sid = place.sid ?? sessions.create(lease.key, place.origin!)
              for (const segment of segments) tail.add(sid, segment)
              writeRest(sid, lease.key, append, place.head + append.events.length)
            }
          },
          done() {
            bound.set(lease, sid)
            resolve()
          },
          fail: reject,
        })
      }),

    read: async (key, after, limit, { charsMax } = {}) => {
      const { events, chars } = maintenance.read(() => {
        const record = sessions.live(key)
        if (!record) return { events: [], chars: 0 }
        return readLog(driver, tail, sessions.lineage(record, sessions.head(record)), after, limit, charsMax)
      })
      // Consecutive pages of large events would otherwise block other work.
      if (chars >= LARGE_PAGE_CHARS) await new Promise<void>((resolve) => driver.schedule(resolve))
      return events
    },

    result: async (key, commandId) => maintenance.read(() => storedAnswer(key, commandId)),

    remove: (key) =>
      new Promise((resolve, reject) => {
        let removed = false
        maintenance.write({
          chars: 0,
          // Alone because it settles the tail, which sweeping then need not search.
          alone: true,
          prepare() {
            if (epoch < maintenance.ownerEpoch()) throw fencedFault(key)
            const found = sessions.toRemove(key)
            if (!found) return () => {}
            return () => {
              hideSession(driver, found.record, found.head)
              tail.settle()
              removed = true
            }
          },
          done() {
            if (removed) {
              tail.clear()
              maintenance.scheduleSweep()
            }
            resolve(removed)
          },
          fail: reject,
        })
      }),

    reserve: (key, head) =>
      new Promise((resolve, reject) => {
        maintenance.write({
          chars: 0,
          prepare() {
            checkKey(key)
            if (epoch < maintenance.ownerEpoch()) throw fencedFault(key)
            if (sessions.live(key)) throw new StoreFault('refused', `${keyText(key)} exists`)
            return () => reserveNumbers(driver, key, head)
          },
          done: resolve,
          fail: reject,
        })
      }),

    check: maintenance.check,
  }

  /** Null if another owner has the store. */
  const findLog = (key: Key, from: BranchParent | null, hasState = false) => {
    checkKey(key)
    if (currentEpoch(driver) > epoch) return null
    const record = sessions.live(key)
    if (!record) {
      const { base, parent, incarnation } = sessions.origin(key, from)
      return {
        ...{ sid: null, lineage: parent && !hasState ? sessions.lineage(parent, base) : null },
        ...{ exists: false, head: base, parent: from },
        incarnation: sessions.incarnationOf({ incarnation }),
        parentIncarnation: parent && sessions.incarnationOf(parent),
      }
    }
    const head = sessions.head(record)
    return {
      ...{ sid: record.sid, lineage: sessions.lineage(record, head) },
      ...{ exists: true, head, parent: sessions.parentOf(record) },
      incarnation: sessions.incarnationOf(record),
      parentIncarnation: sessions.parentIncarnation(record),
    }
  }

  const locate = (lease: Lease): { sid?: number; head: number; origin?: SessionOrigin } => {
    const sid = bound.get(lease)
    const head = sid === undefined ? undefined : tail.head(sid)
    if (head !== undefined) return { sid: sid!, head }
    const record = sid === undefined ? sessions.live(lease.key) : sessions.get(sid)
    if (record?.removed || (!record && (lease.exists || sid !== undefined))) throw fencedFault(lease.key)
    if (record && keyText(record) !== keyText(lease.key))
      throw new StoreFault('corrupt', `${keyText(lease.key)}: its row is another session's`)
    if (record) return { sid: record.sid, head: sessions.head(record) }
    const origin = sessions.origin(lease.key, lease.parent)
    return { head: origin.base, origin }
  }

  const writeRest = (sid: number, key: Key, { row, wake, results = [], snapshot }: LogAppend, head: number): void => {
    if (row) sessions.saveRow(sid, key, row, head)
    if (wake) sessions.saveWake(sid, wake)
    for (const { commandId, bodyHash, answer } of results) {
      const values = [sid, JSON.stringify(commandId), bodyHash, JSON.stringify(answer)]
      driver.run('INSERT INTO answers (sid, command_id, body_hash, answer) VALUES (?, ?, ?, ?)', ...values)
    }
    if (snapshot) writeSnapshot(driver, sid, snapshot)
  }

  const answerRow = (sid: number, commandId: string) =>
    driver.get<{ body_hash: string; answer: string }>(
      'SELECT body_hash, answer FROM answers WHERE sid = ? AND command_id = ?',
      ...[sid, JSON.stringify(commandId)],
    )

  /** The unique index would catch it only after others in the group were written, and the whole group would be retried. */
  const checkUnanswered = (key: Key, sid: number | undefined, commandId: string): void => {
    if (sid !== undefined && answerRow(sid, commandId))
      throw new StoreFault('refused', `${keyText(key)}: ${JSON.stringify(commandId)} is answered already`)
  }

  const storedAnswer = (key: Key, commandId: string): StoredAnswer | null => {
    const record = sessions.live(key)
    const row = record && answerRow(record.sid, commandId)
    return row ? { commandId, bodyHash: row.body_hash, answer: JSON.parse(row.answer) as StoredAnswer['answer'] } : null
  }

  return {
    log,
    directory: sqliteDirectory(driver, sessions, maintenance),
    epoch,
    writeFault: maintenance.writeFault,
    close: maintenance.close,
  }
}

/** Approximate size of the write, to bound groups. */
const sizeOf = (segments: readonly Segment[], { snapshot }: LogAppend): number => {
  let chars = snapshot ? snapshot.state.length : 0
  for (const { body } of segments) chars += body.length
  for (const { text } of snapshot?.pieces ?? []) chars += text.length
  return chars
}

/** Most reads want the newest events. The maximum bounds memory. */
const batchRows = { first: 2, most: 32 }

/** `chars`: size of the stored text that was read. */
interface LogPage {
  readonly events: Event[]
  readonly chars: number
}

/** Follows the lineage of a branch. */
const readLog = (
  driver: SqlDriver,
  tail: Tail,
  levels: readonly LineageLevel<SessionRecord>[],
  after: number,
  limit: number,
  charsMax = Number.POSITIVE_INFINITY,
): LogPage => {
  const events: Event[] = []
  // Every segment has at least one event, so do not read a second, possibly large one for a single event.
  let rows = Math.max(1, Math.min(batchRows.first, limit))
  let chars = 0
  for (const { session, after: start, upTo } of eventStretches(levels, after)) {
    let at = start
    while (at < upTo && events.length < limit) {
      const batch = readSegments(driver, session.sid, at, rows)
      rows = Math.min(rows * 2, batchRows.most)
      const segments = batch.length > 0 ? batch : tail.read(session.sid, at)
      if (segments.length === 0) throw corrupt(session, at + 1, upTo)
      for (const segment of segments) {
        at = takeEvents(session, segment, at, upTo, limit, events)
        chars += segment.body.length
        if (chars >= charsMax && events.length > 0) return { events, chars }
      }
    }
  }
  return { events, chars }
}

/** Returns the last number added. */
const takeEvents = (key: Key, segment: Segment, at: number, upTo: number, limit: number, events: Event[]): number => {
  if (at >= upTo || events.length >= limit) return at
  // Numbers are dense, so a gap reveals a missing row.
  if (segment.isDamaged || segment.first > at + 1) throw corrupt(key, Math.min(segment.first, at + 1), segment.last)
  for (const event of decode(key, segment)) {
    if (event.seq <= at) continue
    if (event.seq > upTo || events.length >= limit) break
    events.push(event)
    at = event.seq
  }
  return at
}

const decode = (key: Key, segment: Segment): Event[] => {
  try {
    return decodeEvents(segment)
  } catch (cause) {
    throw corrupt(key, segment.first, segment.last, cause)
  }
}

const corrupt = (key: Key, first: number, last: number, cause?: unknown): StoreFault =>
  new StoreFault('corrupt', `${keyText(key)}: events ${first} to ${last} are damaged`, cause)
