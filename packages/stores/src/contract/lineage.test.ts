// The rules of lineage, as tables.

import { LINEAGE_MAX } from '@bridle/events/limits'
import {
  branchPointOf,
  effectiveIncarnation,
  eventStretches,
  lineageLevels,
  sessionOrigin,
  snapshotCandidates,
  unchangedPieces,
} from '@bridle/kernel/memory/lineage'
import type { StoreFault } from '@bridle/kernel/ports/store-fault'
import { describe, expect, test } from 'vitest'
import { key } from './store.suite.ts'

const member = (name: string, base: number) => ({ name, base, incarnation: 1 })
/** c left b at 7, b left a at 5; a began at 0. */
const [a, b, c] = [member('a', 0), member('b', 5), member('c', 7)]
/** d left b at 5 too, where b itself had nothing yet. */
const d = member('d', 5)
const named = (levels: readonly { session: { name: string }; upTo: number }[]) =>
  levels.map(({ session, upTo }) => `${session.name} to ${upTo}`)

test.each([
  ['a session without a parent', [a], 9, ['a to 9']],
  ['a branch', [b, a], 9, ['b to 9', 'a to 5']],
  ['a branch of a branch', [c, b, a], 9, ['c to 9', 'b to 7', 'a to 5']],
  ['a branch that left where its parent began', [d, b, a], 6, ['d to 6', 'b to 5', 'a to 5']],
  ['bounded before its branch point', [c, b, a], 3, ['c to 3', 'b to 3', 'a to 3']],
])('levels: %s', (_name, chain, upTo, expected) => expect(named(lineageLevels(chain, upTo))).toEqual(expected))

test.each([
  ['all', 0, ['a 0-5', 'b 5-7', 'c 7-9']],
  ['from the middle of the root', 3, ['a 3-5', 'b 5-7', 'c 7-9']],
  ['from a branch point', 5, ['b 5-7', 'c 7-9']],
  ['from the middle of the branch', 8, ['c 8-9']],
  ['from the head', 9, []],
  ['from behind the head', 99, []],
])('events: %s', (_name, after, expected) => {
  const stretches = eventStretches(lineageLevels([c, b, a], 9), after)
  expect(stretches.map(({ session, ...part }) => `${session.name} ${part.after}-${part.upTo}`)).toEqual(expected)
})

test('events: a level that holds none is left out', () => {
  const stretches = eventStretches(lineageLevels([d, b, a], 6), 0)
  expect(stretches.map(({ session }) => session.name)).toEqual(['a', 'd'])
})

test.each([
  [[a], 9, { head: 9, root: 0, depth: 1 }],
  [[c, b, a], 9, { head: 9, root: 0, depth: 3 }],
  [[member('again', 40)], 50, { head: 50, root: 40, depth: 1 }],
])('branch point of %j', (chain, upTo, expected) => expect(branchPointOf(lineageLevels(chain, upTo))).toEqual(expected))

describe('origin', () => {
  const from = (seq: number) => ({ agent: 'coder', id: 'p', seq })
  const parent = { head: 9, root: 2, depth: 3 }

  test.each([
    ['a new session', null, undefined, 1, { base: 0, incarnation: 1 }],
    ['a session of a removed key', null, { head: 12, incarnation: 3 }, 1, { base: 12, incarnation: 3 }],
    ['a branch', from(4), undefined, 1, { base: 4, incarnation: 1 }],
    ['a branch at the root', from(2), undefined, 1, { base: 2, incarnation: 1 }],
    ['a branch at the head', from(9), undefined, 1, { base: 9, incarnation: 1 }],
    ['a branch of a removed key', from(9), { head: 9, incarnation: 3 }, 1, { base: 9, incarnation: 4 }],
    ['a branch of a removed key after a loss', from(9), { head: 8, incarnation: 3 }, 7, { base: 9, incarnation: 8 }],
  ])('%s', (_name, branch, tombstone, least, expected) =>
    expect(sessionOrigin(key('x'), branch, parent, tombstone, least)).toEqual(expected),
  )

  test.each([
    ['no parent', from(4), undefined, undefined],
    ['before the root', from(1), parent, undefined],
    ['behind the head', from(10), parent, undefined],
    ['no whole number', from(4.5), parent, undefined],
    ['too deep', from(4), { ...parent, depth: LINEAGE_MAX }, undefined],
    ['among the numbers of a removed session', from(4), parent, { head: 5, incarnation: 1 }],
  ])('refused: %s', (_name, branch, point, tombstone) => {
    const fault = expect.objectContaining({ code: 'refused' } satisfies Partial<StoreFault>)
    expect(() => sessionOrigin(key('x'), branch, point, tombstone, 1)).toThrow(fault)
  })
})

test('incarnation: the larger of the log’s own and the least of all', () => {
  const of = (incarnation: number, least: number) => effectiveIncarnation({ incarnation }, least)
  expect([of(1, 1), of(3, 1), of(3, 5)]).toEqual([1, 3, 5])
})

describe('snapshots', () => {
  const levels = lineageLevels([c, b, a], 9)

  test('the session’s own come first, then those of its parents that it reads, the newest first', () => {
    const kept: Record<string, number[]> = { c: [8, 9], b: [6, 8], a: [2, 5, 6] }
    const asked: string[] = []
    const candidates = snapshotCandidates(levels, ({ session }) => {
      asked.push(session.name)
      return kept[session.name]!.map((seq) => ({ seq }))
    })
    const first = candidates.next().value
    expect([first.snapshot, named(first.levels), asked]).toEqual([{ seq: 9 }, ['c to 9', 'b to 7', 'a to 5'], ['c']])
    const rest = [...candidates].map((each) => [each.snapshot.seq, ...named(each.levels)])
    expect(rest).toEqual([
      [8, 'c to 9', 'b to 7', 'a to 5'],
      [6, 'b to 7', 'a to 5'],
      [5, 'a to 5'],
      [2, 'a to 5'],
    ])
  })

  test.each([
    ['nothing known', { seq: 0, count: 0 }, []],
    ['nothing written again', { seq: 8, count: 3 }, [0, 1, 2]],
    ['written again since the opener’s snapshot', { seq: 4, count: 3 }, [0, 2]],
    ['written again in two levels', { seq: 1, count: 3 }, [2]],
    ['more known than the snapshot has', { seq: 8, count: 99 }, [0, 1, 2]],
  ])('messages that need not be read again: %s', (_name, known, expected) => {
    const rewritten = [
      { name: 'b', seq: 6, index: 1 },
      { name: 'a', seq: 3, index: 0 },
      { name: 'c', seq: 9, index: 3 },
    ]
    const since = ({ name }: { name: string }, seq: number) =>
      rewritten.filter((each) => each.name === name && each.seq > seq).map(({ index }) => index)
    const unchanged = unchangedPieces(levels, known, { seq: 9, settled: 4 }, since)
    expect([...unchanged]).toEqual(expected)
  })
})
