// `<kind>:<session>:<seq>`. Session ids may contain colons, so the number comes last: `12`, or `12~3` in the third incarnation.

import type { BranchParent } from '../ports/log.ts'
import type { Incarnations } from './incarnation.ts'
import { type LogPosition, parsePosition } from './log-position.ts'

export const cursorText = (kind: string, sessionId: string, seq: number): string => `${kind}:${sessionId}:${seq}`

export interface CursorPosition extends LogPosition {
  readonly sessionId: string
}

export const parseCursor = (text: string): CursorPosition | null => {
  const [, sessionId, number = ''] = /^[a-z_]{1,32}:(.{1,128}):(\d[\d~]{0,31})$/.exec(text) ?? []
  const position = parsePosition(number)
  return sessionId === undefined || !position ? null : { sessionId, ...position }
}

/** A parent's number is valid in a branch if its incarnation is current. Otherwise the result has incarnation 0, which no log has. */
export const positionInLog = (
  { sessionId, seq, incarnation }: CursorPosition,
  id: string,
  logs: Incarnations,
): LogPosition => {
  if (sessionId === id) return { seq, incarnation }
  return { seq, incarnation: incarnation === logs.parent?.incarnation ? logs.own : 0 }
}

/** True if the cursor names the session, or its parent at or before the branch point. */
export const isOwnPosition = (
  { sessionId, seq }: Pick<CursorPosition, 'sessionId' | 'seq'>,
  id: string,
  parent: BranchParent | null,
): boolean => sessionId === id || (parent !== null && sessionId === parent.id && seq <= parent.seq)
