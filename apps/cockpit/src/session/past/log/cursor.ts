// The place in a log that the address names: `?at=41`, and `?at=41~2` in a log that began anew, whose numbers mean other events.

export interface LogCursor {
  readonly seq: number
  readonly incarnation: number
}

/** Null = the text names no event. */
export const parseCursor = (text: string): LogCursor | null => {
  const [, seq, incarnation = '1'] = /^(\d{1,15})(?:~(\d{1,9}))?$/.exec(text) ?? []
  return seq === undefined ? null : { seq: Number(seq), incarnation: Number(incarnation) }
}

export const cursorText = ({ seq, incarnation }: LogCursor): string =>
  incarnation === 1 ? String(seq) : `${seq}~${incarnation}`

interface KnownLog {
  readonly first: number
  readonly head: number
  readonly incarnation: number
}

/** The reason why a cursor cannot be shown; null = it can. */
export const cursorProblem = (text: string, { first, head, incarnation }: KnownLog): string | null => {
  const cursor = parseCursor(text)
  if (!cursor) return `The address names no event: “at” is a number from ${first} to ${head}.`
  if (cursor.incarnation !== incarnation)
    return `Event ${cursor.seq} belongs to an earlier log of this session, which was lost and goes on differently.`
  if (cursor.seq > head) return `There is no event ${cursor.seq}: the log ends at ${head}.`
  return cursor.seq < first ? `There is no event ${cursor.seq}: the log begins at ${first}.` : null
}
