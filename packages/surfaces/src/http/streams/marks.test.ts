import { describe, expect, test } from 'vitest'
import { MARK_CHARS, MarkTracker } from './marks.ts'

const piece = (chars: number) => ['x'.repeat(chars)]
const mark = (seq: number) => JSON.stringify({ type: 'mark', seq })

describe('[T19] [W21] marks', () => {
  test('a mark is due after every so many characters, with the sequence number that the reader has then', () => {
    const marks = new MarkTracker()
    expect(marks.countSent(piece(MARK_CHARS - 1), 3)).toBeNull()
    expect(marks.countSent(['y', 'z'], 4)).toBe(mark(4))
    expect(marks.countSent(piece(MARK_CHARS - 1), 5)).toBeNull()
    // An answer to a command brings nobody further.
    expect(marks.countSent(['{"type":"ack"}'])).toBe(mark(5))
    expect(marks.unacknowledged).toBe(2 * MARK_CHARS + 14)
  })

  test('a message larger than that has one mark behind it', () => {
    const marks = new MarkTracker()
    expect(marks.countSent(piece(10 * MARK_CHARS), 7)).toBe(mark(7))
    expect(marks.countSent(['{}'], 8)).toBeNull()
    expect(marks.acknowledge(7)).toBe(true)
    expect(marks.unacknowledged).toBe(2)
  })

  test.each<[string, number[], number, boolean]>([
    ['nothing', [], 3, false],
    ['the first', [1], 2, true],
    ['the last', [3], 0, true],
    ['each in turn', [1, 2, 3], 0, true],
    ['between two', [2.5], 1, true],
    ['backwards', [2, 1], 1, false],
    ['the same again', [2, 2, 2], 1, false],
    ['before all of them', [0], 3, false],
    ['the future', [Number.MAX_SAFE_INTEGER], 0, true],
  ])('seen: %s', (_name, acknowledged, left, moved) => {
    const marks = new MarkTracker()
    for (const seq of [1, 2, 3]) marks.countSent(piece(MARK_CHARS), seq)
    let last = false
    for (const seq of acknowledged) last = marks.acknowledge(seq)
    expect([marks.unacknowledged / MARK_CHARS, last]).toEqual([left, moved])
  })

  test('an acknowledgement before its mark does not count later', () => {
    const marks = new MarkTracker()
    marks.acknowledge(Number.MAX_SAFE_INTEGER)
    marks.countSent(piece(MARK_CHARS), 1)
    expect(marks.unacknowledged).toBe(MARK_CHARS)
  })
})
