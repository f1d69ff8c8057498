// A place in a session, as text: `<kind>:<session>:<seq>`. The kind says what stands there and is for people; the rest names
// the event. Ids may hold colons, so the number is the last part.
import type { Parent } from './ports.ts'

export const cursorText = (kind: string, sessionId: string, seq: number): string => `${kind}:${sessionId}:${seq}`

export interface CursorPlace {
  readonly sessionId: string
  readonly seq: number
}

/** Null when it is not a cursor. */
export const parseCursor = (text: string): CursorPlace | null => {
  const [, sessionId, digits] = /^[a-z_]{1,32}:(.{1,128}):(\d{1,15})$/.exec(text) ?? []
  return sessionId === undefined ? null : { sessionId, seq: Number(digits) }
}

/** `ev-12`, or the bare number; null when it is neither. */
export const parseEventId = (text: string): number | null => {
  const digits = /^(?:ev-)?(\d{1,15})$/.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** Whether a session can say what stands there: it is its own, or its parent's up to where it branched. */
export const isOwnPlace = ({ sessionId, seq }: CursorPlace, id: string, parent: Parent | null): boolean =>
  sessionId === id || (parent !== null && sessionId === parent.id && seq <= parent.seq)
