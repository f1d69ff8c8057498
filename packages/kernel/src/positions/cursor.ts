// A cursor names an event as text: `<kind>:<session>:<seq>`. The kind tells people what the event is; the rest names it. Ids may
// have colons, so the number is the last part. The number is `12` in a log's first incarnation and `12~3`
// in its third (docs/protocol/session.md).

import type { BranchParent } from '../ports/log.ts'
import type { Incarnations } from './incarnation.ts'
import { type LogPosition, parsePosition } from './log-position.ts'

export const cursorText = (kind: string, sessionId: string, seq: number): string => `${kind}:${sessionId}:${seq}`

export interface CursorPosition extends LogPosition {
  readonly sessionId: string
}

/** Null = the text is no cursor. */
export const parseCursor = (text: string): CursorPosition | null => {
  const [, sessionId, number = ''] = /^[a-z_]{1,32}:(.{1,128}):(\d[\d~]{0,31})$/.exec(text) ?? []
  const position = parsePosition(number)
  return sessionId === undefined || !position ? null : { sessionId, ...position }
}

/**
 * The position of a cursor in the log of a session. A number of the parent is a number of the branch too, if it belongs to the
 * parent's present incarnation; any other gets incarnation 0, which no log has.
 */
export const positionInLog = (
  { sessionId, seq, incarnation }: CursorPosition,
  id: string,
  logs: Incarnations,
): LogPosition => {
  if (sessionId === id) return { seq, incarnation }
  return { seq, incarnation: incarnation === logs.parent?.incarnation ? logs.own : 0 }
}

/** Whether a session has the event of a cursor: the cursor names the session, or its parent at or before the branch point. */
export const isOwnPosition = (
  { sessionId, seq }: Pick<CursorPosition, 'sessionId' | 'seq'>,
  id: string,
  parent: BranchParent | null,
): boolean => sessionId === id || (parent !== null && sessionId === parent.id && seq <= parent.seq)
