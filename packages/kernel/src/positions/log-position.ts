// A place in a log as text, the same at both ends of every wire: `12` in the log's first incarnation, `12~3` in its third
// (docs/protocol/session.md).

export interface LogPosition {
  readonly seq: number
  readonly incarnation: number
}

export const positionText = (seq: number, incarnation: number): string =>
  incarnation === 1 ? String(seq) : `${seq}~${incarnation}`

/** Null = the text is no position. A position without `~` belongs to the first incarnation. */
export const parsePosition = (text: string): LogPosition | null => {
  const [, seq, incarnation = '1'] = /^(\d{1,15})(?:~(\d{1,9}))?$/.exec(text) ?? []
  return seq === undefined ? null : { seq: Number(seq), incarnation: Number(incarnation) }
}

/** Takes `ev-12`, or a bare position; null = the text is neither. */
export const parseEventId = (text: string): LogPosition | null =>
  parsePosition(text.startsWith('ev-') ? text.slice(3) : text)
