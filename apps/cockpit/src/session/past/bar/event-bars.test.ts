import { describe, expect, test } from 'vitest'
import type { EventMark } from '../log/event-mark.ts'
import { barHeights, eventAtPart, marksWithRoom, partOfEvent } from './event-bars.ts'

describe('[C30] the bars of a log', () => {
  test('a short log has a bar for each event, and a piece of text weighs less', () => {
    expect(barHeights([4, 1, 4], 120)).toEqual([1, 0.25, 1])
    expect(barHeights([])).toEqual([])
  })

  test('a hundred thousand events share the bars: each counts once, and the busiest bar is the highest', () => {
    const weights = new Array(100_000).fill(1)
    for (let at = 50_000; at < 50_500; at += 1) weights[at] = 4
    const heights = barHeights(weights, 100)
    expect(heights).toHaveLength(100)
    expect(heights.indexOf(1)).toBe(50)
    expect(heights[0]).toBeCloseTo(1_000 / 2_500)
  })

  test('every event has a place of its own, and the place leads back to it', () => {
    for (const range of [
      { first: 1, head: 118 },
      { first: 40, head: 41 },
      { first: 1, head: 100_000 },
    ])
      for (const seq of [range.first, Math.floor((range.first + range.head) / 2), range.head])
        expect(eventAtPart(range, partOfEvent(range, seq))).toBe(seq)
    expect(eventAtPart({ first: 5, head: 9 }, -0.2)).toBe(5)
    expect(eventAtPart({ first: 5, head: 9 }, 1.2)).toBe(9)
  })

  test('marks never cover each other: the most important of a place stays, and of two alike the older one', () => {
    const marks: EventMark[] = [
      { seq: 1, kind: 'checkpoint' },
      { seq: 2, kind: 'error' },
      { seq: 3, kind: 'timeout' },
      { seq: 90, kind: 'approval' },
      { seq: 91, kind: 'approval' },
    ]
    expect(marksWithRoom({ first: 1, head: 100 }, marks, 10)).toEqual([marks[1], marks[3]])
    const many = Array.from({ length: 5_000 }, (_, at): EventMark => ({ seq: at + 1, kind: 'checkpoint' }))
    expect(marksWithRoom({ first: 1, head: 5_000 }, many, 48)).toHaveLength(48)
  })
})
