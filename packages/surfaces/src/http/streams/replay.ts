// Start position of a reader without a cursor that asks for the last N events.

import type { AnyEvent } from '@bridle/kernel/event'
import { type LogPosition, parseEventId, parsePosition } from '@bridle/kernel/positions/log-position'
import type { Session } from '@bridle/kernel/session/session'
import * as v from 'valibot'
import { badRequest, type Denial } from '../denials/denial.ts'

/** Any usual N takes a few pages. */
const REPLAY_PAGE = 2_000

export const replaySchema = v.pipe(v.string(), v.regex(/^(all|none|\d{1,9})$/, 'Expected "all", "none" or a number'))

/** `?after=` or `?before=`: a sequence number, with its incarnation unless it is the first. */
export const pageCursorSchema = v.pipe(
  v.string(),
  v.regex(/^\d{1,9}(~\d{1,9})?$/, 'Expected a whole number'),
  v.transform((text) => parsePosition(text) as LogPosition),
)

/** A cursor of another incarnation belongs to a different list, so start over. */
export const pageEnd = ({ incarnations }: Session, before: string | undefined): number | Denial => {
  const position = before === undefined ? null : parseEventId(before)
  if (before !== undefined && !position) return badRequest('query: before: Expected the `next` of an earlier answer')
  return position?.incarnation === incarnations.own ? position.seq : Number.POSITIVE_INFINITY
}

/** Position before the last N visible events. Reads the log backwards, page by page. */
export const replayStart = async (
  session: Session,
  replay: string,
  isShown: (event: AnyEvent) => boolean,
): Promise<number> => {
  const { head } = session.state
  if (replay === 'all') return 0
  let missing = replay === 'none' ? 0 : Number(replay)
  let from = head
  while (missing > 0 && from > 0) {
    const to = from
    from = Math.max(0, to - REPLAY_PAGE)
    const shown = await shownSeqs(session, from, to, isShown)
    const first = shown.at(-missing)
    if (first !== undefined) return first - 1
    missing -= shown.length
  }
  return from
}

/**
 * Newest `count` visible events, in order. `from` is where the search stopped after `lookupMax` events; null if it is complete.
 */
export const seqsBefore = async (
  session: Session,
  end: number,
  count: number,
  isShown: (event: AnyEvent) => boolean,
  lookupMax: number,
): Promise<{ seqs: readonly number[]; from: number | null }> => {
  const first = session.state.lifecycle.firstSeq - 1
  const last = Math.min(end - 1, session.state.head)
  let seqs: number[] = []
  let from = last
  // Usually the events are near; double the step to skip a long text.
  for (let step = 2 * count; from > first && seqs.length < count; step = Math.min(2 * step, REPLAY_PAGE)) {
    if (last - from >= lookupMax) return { seqs, from: from + 1 }
    const to = from
    from = Math.max(first, to - step)
    seqs = [...(await shownSeqs(session, from, to, isShown)), ...seqs]
  }
  return { seqs: seqs.slice(-count), from: null }
}

const shownSeqs = async (
  session: Session,
  from: number,
  to: number,
  isShown: (event: AnyEvent) => boolean,
): Promise<number[]> => {
  const shown: number[] = []
  for (let at = from; at < to; ) {
    const page = await session.read(at, to - at)
    for (const event of page) if (event.seq <= to && isShown(event)) shown.push(event.seq)
    at = page.at(-1)?.seq ?? to
  }
  return shown
}
