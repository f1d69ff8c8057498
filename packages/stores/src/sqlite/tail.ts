// The newest events of all sessions. The index of `log` is ordered by session, so a commit of a hundred sessions would
// dirty a hundred of its pages. They go to `tail` instead, a table without an index, where they share a few; what is in
// it is also held in memory, so reading never searches it. When it has grown it is settled: each session's segments are
// joined and moved to `log` in one transaction. A session's events in `tail` are always newer than those in `log`.
import type { SqlDriver } from '../drivers/driver.ts'
import { assembleSegment, type SegmentRow, writeSegment } from './segment-rows.ts'
import { joinSegments, type Segment } from './segments.ts'

/** Settling one transaction's worth takes a few milliseconds; larger joins better and blocks longer. */
export interface TailLimits {
  readonly segmentsMax: number
  readonly charsMax: number
  /** A segment of this size goes to `log` at once: writing it twice would cost more than its pages. */
  readonly segmentCharsMax: number
}

/** Where commits are not shared there is nothing to gain: events go to `log` at once. */
export const noTail: TailLimits = { segmentsMax: 0, charsMax: 0, segmentCharsMax: 0 }

export type Tail = ReturnType<typeof openTail>

export const openTail = (driver: SqlDriver, limits: TailLimits) => {
  let held = new Map<number, Segment[]>()
  let segments = 0
  let chars = 0
  // Segments of the transaction in progress; they join the others when it commits.
  let added: { sid: number; segment: Segment }[] = []
  const addedHeads = new Map<number, number>()

  const hold = (sid: number, segment: Segment): void => {
    const list = held.get(sid)
    if (list) list.push(segment)
    else held.set(sid, [segment])
    segments++
    chars += segment.body.length
  }

  /** From here on a log that ends earlier is known to be damaged. */
  const raiseHead = (sid: number, last: number): void =>
    driver.run('UPDATE sessions SET head_min = ? WHERE sid = ? AND head_min < ?', last, sid, last)

  const clear = (): void => {
    held = new Map()
    segments = 0
    chars = 0
    rollBack()
  }

  const rollBack = (): void => {
    added = []
    addedHeads.clear()
  }

  return {
    /** Reads the table again: at the start, and when a commit's outcome is not known. */
    load(): void {
      clear()
      const rows = driver.all<SegmentRow & { sid: number }>('SELECT * FROM tail ORDER BY n')
      for (let at = 0; at < rows.length; ) {
        const { sid, last } = rows[at]!
        let end = at + 1
        while (end < rows.length && rows[end]!.sid === sid && rows[end]!.last === last && rows[end]!.part > 0) end++
        hold(sid, assembleSegment(sid, rows.slice(at, end)))
        at = end
      }
    },

    /** The last number of a session, if any of its events are here. */
    head: (sid: number): number | undefined => addedHeads.get(sid) ?? held.get(sid)?.at(-1)?.last,

    /** Inside a transaction, which `commit` or `rollBack` must follow. */
    add(sid: number, segment: Segment): void {
      // Behind smaller ones it must queue, whatever its size: the tail is always newer than the log.
      const queues = addedHeads.has(sid) || held.has(sid)
      if (!queues && segment.body.length >= limits.segmentCharsMax) {
        writeSegment(driver, 'log', sid, segment)
        // Where there is no tail every append comes here, and a write more for each would cost more than it tells.
        if (limits.segmentCharsMax > 0) raiseHead(sid, segment.last)
        return
      }
      writeSegment(driver, 'tail', sid, segment)
      added.push({ sid, segment })
      addedHeads.set(sid, segment.last)
    },

    commit(): void {
      for (const { sid, segment } of added) hold(sid, segment)
      rollBack()
    },
    rollBack,

    read: (sid: number, after: number): Segment[] => held.get(sid)?.filter(({ last }) => last > after) ?? [],

    isFull: (): boolean => segments > 0 && (segments >= limits.segmentsMax || chars >= limits.charsMax),

    /** Inside a transaction; `clear` when it is committed. */
    settle(): void {
      if (segments === 0) return
      for (const [sid, list] of held) {
        for (const segment of joinSegments(list)) writeSegment(driver, 'log', sid, segment)
        raiseHead(sid, list.at(-1)!.last)
      }
      driver.run('DELETE FROM tail')
    },
    clear,
  }
}
