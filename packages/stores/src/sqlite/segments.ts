// A segment is a run of one session's events as comma-separated JSON without brackets, so that joining needs no parsing.

import { hashText } from '@bridle/events/json'
import { type Event, type Key, keyText } from '@bridle/kernel/event'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { splitText } from '@bridle/kernel/text/chunks'

/** Large enough to make a row's overhead negligible; parsing takes well below a millisecond. */
export const SEGMENT_CHARS_MAX = 32 * 1024
/** Fits a row even at three bytes per character. */
const PIECE_CHARS_MAX = 500 * 1024

export interface Segment {
  readonly first: number
  readonly last: number
  readonly body: string
  /** The checksum does not match. Kept, so that damaged data is never taken for valid. */
  readonly isDamaged?: true
}

/** JSON escapes NUL and lone surrogates, so the text survives any database byte for byte. */
export const encodeEvents = (key: Key, events: readonly Event[]): Segment[] => {
  try {
    // Event by event: a single text would be as large as an imported log.
    return joinSegments(events.map((event) => ({ first: event.seq, last: event.seq, body: JSON.stringify(event) })))
  } catch (cause) {
    throw new StoreFault('refused', `${keyText(key)}: events that are not JSON`, cause)
  }
}

export const decodeEvents = (segment: Segment): Event[] => JSON.parse(`[${segment.body}]`) as Event[]

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

export const splitForRows = (text: string): string[] => splitText(text, PIECE_CHARS_MAX)

/** Includes the location, so that misplaced rows are detected. */
export const checksum = (text: string, ...place: readonly number[]): string => {
  let seed = 0
  for (const part of place) seed = Math.imul(seed ^ part ^ Math.floor(part / 0x1_0000_0000), 0x01000193) + 1
  return hashText(text, seed)
}
