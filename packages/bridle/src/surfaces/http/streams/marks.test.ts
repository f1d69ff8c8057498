import { describe, expect, test } from 'vitest'
import { MARK_CHARS, Marks } from './marks.ts'

const piece = (chars: number) => ['x'.repeat(chars)]
const mark = (seq: number) => JSON.stringify({ type: 'mark', seq })

describe('[T19] [W21] marks', () => {
  test('one is due after each so much, with the number that the reader was brought to', () => {
    const marks = new Marks()
    expect(marks.sent(piece(MARK_CHARS - 1), 3)).toBeNull()
    expect(marks.sent(['y', 'z'], 4)).toBe(mark(4))
    expect(marks.sent(piece(MARK_CHARS - 1), 5)).toBeNull()
    // An answer to a command brings nobody further.
    expect(marks.sent(['{"type":"ack"}'])).toBe(mark(5))
    expect(marks.unseen).toBe(2 * MARK_CHARS + 14)
  })

  test('one message may be larger than that, and has one mark behind it', () => {
    const marks = new Marks()
    expect(marks.sent(piece(10 * MARK_CHARS), 7)).toBe(mark(7))
    expect(marks.sent(['{}'], 8)).toBeNull()
    expect(marks.seen(7)).toBe(true)
    expect(marks.unseen).toBe(2)
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
  ])('seen: %s', (_name, said, left, moved) => {
    const marks = new Marks()
    for (const seq of [1, 2, 3]) marks.sent(piece(MARK_CHARS), seq)
    let last = false
    for (const seq of said) last = marks.seen(seq)
    expect([marks.unseen / MARK_CHARS, last]).toEqual([left, moved])
  })

  test('what is said of the future does not count when it has come', () => {
    const marks = new Marks()
    marks.seen(Number.MAX_SAFE_INTEGER)
    marks.sent(piece(MARK_CHARS), 1)
    expect(marks.unseen).toBe(MARK_CHARS)
  })
})
