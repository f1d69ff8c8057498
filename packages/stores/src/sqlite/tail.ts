// The newest events of all sessions. The index of `log` is sorted by session, so a commit for a hundred sessions would dirty a
// hundred pages. `tail` has no index and is mirrored in memory, so reads never search it. A full tail is moved to `log` in one
// transaction, with each session's segments joined. Its events are always newer than those in `log`.
import type { SqlDriver } from '../drivers/driver.ts'
import { assembleSegment, type SegmentRow, writeSegment } from './segment-rows.ts'
import { joinSegments, type Segment } from './segments.ts'

/** Larger tails join better, but block longer when settled. Settling takes a few milliseconds. */
export interface TailLimits {
  readonly segmentsMax: number
  readonly charsMax: number
  /** Larger segments go to `log` at once: writing them twice costs more than dirty pages. */
  readonly segmentCharsMax: number
}

/** Without shared commits a tail has no benefit. */
export const noTail: TailLimits = { segmentsMax: 0, charsMax: 0, segmentCharsMax: 0 }

export type Tail = ReturnType<typeof openTail>

export const openTail = (driver: SqlDriver, limits: TailLimits) => {
  let held = new Map<number, Segment[]>()
  let segments = 0
  let chars = 0
  let added: { sid: number; segment: Segment }[] = []
  const addedHeads = new Map<number, number>()

  const hold = (sid: number, segment: Segment): void => {
    const list = held.get(sid)
    if (list) list.push(segment)
    else held.set(sid, [segment])
    segments++
    chars += segment.body.length
  }

  /** From here on, a shorter log is known to be damaged. */
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
    /** Reloads the table at the start, and after a commit with unknown outcome. */
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

    head: (sid: number): number | undefined => addedHeads.get(sid) ?? held.get(sid)?.at(-1)?.last,

    /** Call within a transaction, followed by `commit` or `rollBack`. */
    add(sid: number, segment: Segment): void {
      // The tail must stay newer than the log, so large segments queue behind smaller ones.
      const queues = addedHeads.has(sid) || held.has(sid)
      if (!queues && segment.body.length >= limits.segmentCharsMax) {
        writeSegment(driver, 'log', sid, segment)
        // Without a tail, an extra write per append would not be worth it.
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

    /** Call within a transaction, followed by `clear`. */
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
