// Where a reader begins that has no cursor but wants the last N events of its wire.

import * as v from 'valibot'
import type { AnyEvent } from '../../../kernel/event.ts'
import { type LogPosition, parsePosition } from '../../../kernel/positions/log-position.ts'
import type { Session } from '../../../kernel/session/session.ts'
import { REPLAY_PAGE } from '../limits.ts'

/** What `?replay=` may say. */
export const replaySchema = v.pipe(v.string(), v.regex(/^(all|none|\d{1,9})$/, 'Expected "all", "none" or a number'))

/** What `?after=` or `?before=` of a page may say: a number, with its incarnation where that is not the first. */
export const pageCursorSchema = v.pipe(
  v.string(),
  v.regex(/^\d{1,9}(~\d{1,9})?$/, 'Expected a whole number'),
  v.transform((text) => parsePosition(text) as LogPosition),
)

/** The cursor that leaves the last N events that a wire shows to come. Looks back a page at a time. */
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

/** The numbers, between these two, of what the wire shows. */
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
