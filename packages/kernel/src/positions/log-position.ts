// `12` in a log's first incarnation, `12~3` in its third, the same at both ends of every wire (docs/protocol/session.md).

export interface LogPosition {
  readonly seq: number
  readonly incarnation: number
}

export const positionText = (seq: number, incarnation: number): string =>
  incarnation === 1 ? String(seq) : `${seq}~${incarnation}`

/** Without `~`: the first incarnation. */
export const parsePosition = (text: string): LogPosition | null => {
  const [, seq, incarnation = '1'] = /^(\d{1,15})(?:~(\d{1,9}))?$/.exec(text) ?? []
  return seq === undefined ? null : { seq: Number(seq), incarnation: Number(incarnation) }
}

/** Accepts `ev-12` or a bare position. */
export const parseEventId = (text: string): LogPosition | null =>
  parsePosition(text.startsWith('ev-') ? text.slice(3) : text)
