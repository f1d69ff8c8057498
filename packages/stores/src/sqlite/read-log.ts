// Reading events through the lineage of a branch: each session up to the point where the next one left it.
import { type Event, type Key, keyText } from '@bridle/kernel/event'
import { eventStretches, type LineageLevel } from '@bridle/kernel/memory/lineage'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { SqlDriver } from '../drivers/driver.ts'
import { readSegments } from './segment-rows.ts'
import { decodeEvents, type Segment } from './segments.ts'
import type { SessionRecord } from './session-table.ts'
import type { Tail } from './tail.ts'

/** Rows fetched at once: few at first, since most reads want the newest; never many, so that memory stays small. */
const batchRows = { first: 2, most: 32 }

/** Events, and how many characters of stored text were read for them. */
export interface LogPage {
  readonly events: Event[]
  readonly chars: number
}

export const readLog = (
  driver: SqlDriver,
  tail: Tail,
  levels: readonly LineageLevel<SessionRecord>[],
  after: number,
  limit: number,
  charsMax = Number.POSITIVE_INFINITY,
): LogPage => {
  const events: Event[] = []
  // A segment has an event at least; where one is wanted, the next may be large and is not read.
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

/** Adds what counts of a segment and returns the last number added. */
const takeEvents = (key: Key, segment: Segment, at: number, upTo: number, limit: number, events: Event[]): number => {
  if (at >= upTo || events.length >= limit) return at
  // The numbers are dense, so a missing row is found even though nothing is left to check.
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
