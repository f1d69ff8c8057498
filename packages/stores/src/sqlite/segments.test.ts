import { expect, test } from 'vitest'
import { event, key } from '../contract/store.suite.ts'
import { decodeEvents, encodeEvents, SEGMENT_CHARS_MAX } from './segments.ts'

test.each([
  ['a few', 3, 10],
  ['many in one append', 200, 2_000],
  ['one that is larger than a segment', 1, 3 * SEGMENT_CHARS_MAX],
  ['several of those', 3, 3 * SEGMENT_CHARS_MAX],
])('every event is encoded once, and read as it was: %s', (_name, count, chars) => {
  let encoded = 0
  const text = 'x'.repeat(chars)
  const counted = {
    toJSON: () => {
      encoded++
      return { text }
    },
  }
  const seqs = Array.from({ length: count }, (_, index) => index + 1)
  const segments = encodeEvents(
    key('s1'),
    seqs.map((seq) => event(seq, counted)),
  )
  expect(encoded).toBe(count)
  expect(segments.flatMap(decodeEvents)).toEqual(seqs.map((seq) => event(seq, { text })))
  expect(segments.map(({ first }) => first)).toEqual([1, ...segments.slice(0, -1).map(({ last }) => last + 1)])
})
