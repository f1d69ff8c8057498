// A place in a session, as text: `<kind>:<session>:<seq>`. The kind says what stands there and is for people; the rest names
// the event. Ids may hold colons, so the number is the last part. The number is `12` in a log's first incarnation and `12~3`
// in its third (docs/protocol/session.md).

import type { BranchParent } from '../ports/log.ts'
import type { Incarnations } from './incarnation.ts'
import { type LogPosition, parsePosition } from './log-position.ts'

export const cursorText = (kind: string, sessionId: string, seq: number): string => `${kind}:${sessionId}:${seq}`

export interface CursorPosition extends LogPosition {
  readonly sessionId: string
}

/** Null when it is not a cursor. */
export const parseCursor = (text: string): CursorPosition | null => {
  const [, sessionId, number = ''] = /^[a-z_]{1,32}:(.{1,128}):(\d[\d~]{0,31})$/.exec(text) ?? []
  const place = parsePosition(number)
  return sessionId === undefined || !place ? null : { sessionId, ...place }
}

/**
 * Where a cursor points in this session's own log. A number of its parent's is its own too, as long as it is of the parent's
 * present incarnation; any other is of no incarnation that the session knows.
 */
export const positionInLog = (
  { sessionId, seq, incarnation }: CursorPosition,
  id: string,
  logs: Incarnations,
): LogPosition => {
  if (sessionId === id) return { seq, incarnation }
  return { seq, incarnation: incarnation === logs.parent?.incarnation ? logs.own : 0 }
}

/** Whether a session can say what stands there: it is its own, or its parent's up to where it branched. */
export const isOwnPosition = (
  { sessionId, seq }: Pick<CursorPosition, 'sessionId' | 'seq'>,
  id: string,
  parent: BranchParent | null,
): boolean => sessionId === id || (parent !== null && sessionId === parent.id && seq <= parent.seq)
