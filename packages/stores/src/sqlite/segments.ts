// Events as stored text. A segment is a run of one session's events: their JSON, comma-separated and without the
// brackets, so that two segments are joined without parsing either.

import { hashText } from '@bridle/events/json'
import { type Event, type Key, keyText } from '@bridle/kernel/event'
import { StoreFault } from '@bridle/kernel/ports/store-fault'

/** Joined segments stop growing here: the overhead of a row no longer counts, and parsing one takes well below a millisecond. */
export const SEGMENT_CHARS_MAX = 32 * 1024
/** At three bytes per character a piece still fits a row. */
const PIECE_CHARS_MAX = 500 * 1024

export interface Segment {
  readonly first: number
  readonly last: number
  readonly body: string
  /** Set when what was read does not match its checksum; carried along so that it is never mistaken for truth. */
  readonly isDamaged?: true
}

/** JSON escapes NUL and lone surrogates, so the text is plain Unicode and survives any database byte for byte. */
export const encodeEvents = (key: Key, events: readonly Event[]): Segment[] => {
  try {
    // Each event by itself: a text of all, which would have to be cut again, is as large as an imported log.
    return joinSegments(events.map((event) => ({ first: event.seq, last: event.seq, body: JSON.stringify(event) })))
  } catch (cause) {
    throw new StoreFault('refused', `${keyText(key)}: events that are not JSON`, cause)
  }
}

export const decodeEvents = (segment: Segment): Event[] => JSON.parse(`[${segment.body}]`) as Event[]

/** Adjacent segments as fewer, larger ones. A damaged segment is not joined. */
export const joinSegments = (segments: readonly Segment[]): Segment[] => {
  const joined: Segment[] = []
  let run: Segment[] = []
  let chars = 0
  const endRun = () => {
    if (run.length > 0) joined.push(joinRun(run))
    run = []
    chars = 0
  }
  for (const segment of segments) {
    if (segment.isDamaged || chars + segment.body.length > SEGMENT_CHARS_MAX) endRun()
    if (segment.isDamaged) {
      joined.push(segment)
      continue
    }
    run.push(segment)
    chars += segment.body.length
  }
  endRun()
  return joined
}

const joinRun = (run: readonly Segment[]): Segment =>
  run.length === 1
    ? run[0]!
    : { first: run[0]!.first, last: run.at(-1)!.last, body: run.map(({ body }) => body).join(',') }

/** A long text cut so that each piece fits a row, never inside a surrogate pair. */
export const splitForRows = (text: string): string[] => {
  if (text.length <= PIECE_CHARS_MAX) return [text]
  const cuts: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE_CHARS_MAX, text.length)
    const unit = text.charCodeAt(to - 1)
    if (to < text.length && unit >= 0xd800 && unit <= 0xdbff) to--
    cuts.push(text.slice(from, to))
    from = to
  }
  return cuts
}

/** The checksum of a piece at its place: the place is part of it, so that a row in the wrong place is found too. */
export const checksum = (text: string, ...place: readonly number[]): string => {
  let seed = 0
  for (const part of place) seed = Math.imul(seed ^ part ^ Math.floor(part / 0x1_0000_0000), 0x01000193) + 1
  return hashText(text, seed)
}
