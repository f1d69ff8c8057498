import type { AnyEvent } from '@bridle/kernel/event'
import type { Session } from '@bridle/kernel/session/session'
import { expect, test } from 'vitest'
import { seqsBefore } from './replay.ts'

/** A log from `first` on, in which every tenth event is no piece of a text. Pages of the store have 50 events at most. */
const sessionOf = (first: number, head: number) => {
  let reads = 0
  const read = async (after: number, limit: number) => {
    reads += 1
    const seqs = Array.from({ length: Math.min(limit, 50) }, (_, index) => Math.max(after, first - 1) + 1 + index)
    return seqs.filter((seq) => seq <= head).map((seq) => ({ seq, type: seq % 10 === 0 ? 'response' : 'token' }))
  }
  const session = { state: { head, lifecycle: { firstSeq: first } }, read } as unknown as Session
  return { session, reads: () => reads }
}
const isShown = ({ type }: AnyEvent) => type === 'response'

test.each([
  ['from the head', 1_000, Number.POSITIVE_INFINITY, 3, { seqs: [980, 990, 1_000], from: null }],
  ['before an event', 1_000, 980, 2, { seqs: [960, 970], from: null }],
  ['beyond the head', 1_000, 5_000, 1, { seqs: [1_000], from: null }],
  ['up to the beginning', 45, 45, 9, { seqs: [10, 20, 30, 40], from: null }],
  ['before the beginning', 45, 1, 9, { seqs: [], from: null }],
])('the last shown events %s', async (_what, head, end, count, found) => {
  expect(await seqsBefore(sessionOf(1, head).session, end, count, isShown, 10_000)).toEqual(found)
})

test('[F49] a long text is looked through in parts, each of which says where the next begins', async () => {
  const { session, reads } = sessionOf(1, 40_000)
  const none = () => false
  const first = await seqsBefore(session, 40_001, 21, none, 5_000)
  expect(first.seqs).toEqual([])
  expect(first.from).toBeLessThanOrEqual(35_001)
  expect(reads()).toBeLessThan(200)
  let end: number | null = first.from
  for (let parts = 0; end !== null; parts++) {
    expect(parts).toBeLessThan(10)
    const { from } = await seqsBefore(session, end, 21, none, 5_000)
    expect(from ?? 0).toBeLessThan(end)
    end = from
  }
})

test('events of a deleted session of the same id are not looked for', async () => {
  const { session } = sessionOf(985, 1_000)
  expect(await seqsBefore(session, 1_001, 9, isShown, 10_000)).toEqual({ seqs: [990, 1_000], from: null })
})
