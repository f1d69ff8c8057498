// The log as bars and marks on a line: every event has its place, and neighbours share a bar.

import { type EventMark, isMoreImportant } from '../log/event-mark.ts'

/** Bars of the scrubber: a wide screen has room for some 850 pixels, and a bar with its gap takes seven. */
const BARS_MAX = 120
/** Places for marks on the scrubber: a mark is twelve pixels wide, and two must not cover each other. */
const MARK_PLACES = 48
/** The height of the lowest bar, as a part of the highest: a bar that cannot be seen looks like a gap in the log. */
const BAR_PART_MIN = 0.14

/** The numbers of a log: every number from `first` to `head` is there. */
export interface LogRange {
  readonly first: number
  readonly head: number
}

/** The middle of an event on the line, from 0 to 1. */
export const partOfEvent = ({ first, head }: LogRange, seq: number): number =>
  head < first ? 1 : (Math.min(Math.max(seq, first), head) - first + 0.5) / (head - first + 1)

/** The event at a part of the line. */
export const eventAtPart = ({ first, head }: LogRange, part: number): number =>
  Math.min(Math.max(first, head), Math.max(first, first + Math.floor(part * (head - first + 1))))

/** The heights of the bars, from 0 to 1. `weights` has one for each event, in order. */
export const barHeights = (weights: readonly number[], bars = BARS_MAX): readonly number[] => {
  const count = Math.min(bars, weights.length)
  const means = Array.from({ length: count }, (_, at) => {
    const from = Math.floor((at * weights.length) / count)
    const to = Math.floor(((at + 1) * weights.length) / count)
    let sum = 0
    for (let each = from; each < to; each += 1) sum += weights[each] ?? 0
    return sum / (to - from)
  })
  const top = Math.max(...means)
  return means.map((mean) => Math.max(BAR_PART_MIN, mean / top))
}

/** Marks that have room beside each other. Where two would cover each other, the more important one stays, and of two alike the older one. */
export const marksWithRoom = (
  range: LogRange,
  marks: readonly EventMark[],
  places = MARK_PLACES,
): readonly EventMark[] => {
  const shown: EventMark[] = []
  for (const mark of marks) {
    const last = shown.at(-1)
    const hasRoom = !last || partOfEvent(range, mark.seq) - partOfEvent(range, last.seq) >= 1 / places
    if (hasRoom) shown.push(mark)
    else if (isMoreImportant(mark.kind, last.kind)) shown[shown.length - 1] = mark
  }
  return shown
}
