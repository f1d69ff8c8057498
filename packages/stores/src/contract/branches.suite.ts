// The contract of Log where sessions branch, go, and come back.

import type { BranchParent, KnownPieces, Lease, SnapshotWrite } from '@bridle/kernel/ports/log'
import { describe, expect, test } from 'vitest'
import {
  events,
  expectFault,
  key,
  range,
  row,
  type StoreHarness,
  type StoreOwner,
  seqs,
  startSession,
  underTest,
} from './store.suite.ts'

const [a, b, c] = [key('a'), key('b'), key('c')]
const at = (id: string, seq: number): BranchParent => ({ agent: 'scripted', id, seq })
const snapshot = (seq: number, settled: number, pieces: [number, string][], keep = false): SnapshotWrite => ({
  seq,
  foldVersion: 'v1',
  state: `{"at":${seq}}`,
  settled,
  pieces: pieces.map(([index, text]) => ({ index, text })),
  keep,
})

export const branchContract = (name: string, make: () => Promise<StoreHarness>): void => {
  describe(`${name}: branches`, () => {
    const on = underTest(make)
    const say = (who: string) => (seq: number) => `${who}${seq}`

    test('a branch goes on from its parent, and never alters it', async () => {
      const parent = await startSession(on.store, a, 5)
      const lease = (await on.store.log.open(b, at('a', 3)))!
      expect(lease).toMatchObject({ exists: false, head: 3, parent: at('a', 3) })
      expect(await on.store.log.read(b, 0, 9)).toEqual([])
      await on.store.log.append(lease, { events: events(4, 5, say('b')), row: row() })
      await on.store.log.append(parent, { events: events(6, 6) })
      const { log } = await on.store.restart()
      expect(await log.read(b, 0, 9)).toEqual([...events(1, 3), ...events(4, 5, say('b'))])
      expect(await log.read(b, 2, 2)).toEqual([...events(3, 3), ...events(4, 4, say('b'))])
      expect(await log.read(a, 0, 9)).toEqual(events(1, 6))
      expect(await log.open(b, at('nobody', 7))).toMatchObject({ exists: true, head: 5, parent: at('a', 3) })
    })

    test('a branch of a branch, also from before the first branch', async () => {
      await startSession(on.store, a, 6)
      await startSession(on.store, b, 4, { events: events(5, 8, say('b')) }, at('a', 4))
      await startSession(on.store, c, 1, { events: events(7, 7, say('c')) }, at('b', 6))
      await startSession(on.store, key('d'), 1, { events: events(3, 3, say('d')) }, at('b', 2))
      const { log } = await on.store.restart()
      expect(await log.read(c, 0, 99)).toEqual([...events(1, 4), ...events(5, 6, say('b')), ...events(7, 7, say('c'))])
      expect(await log.read(c, 3, 2)).toEqual([...events(4, 4), ...events(5, 5, say('b'))])
      expect(await log.read(key('d'), 0, 99)).toEqual([...events(1, 2), ...events(3, 3, say('d'))])
    })

    test.each([
      ['beyond the head', at('a', 6)],
      ['an unknown parent', at('nobody', 1)],
      ['the parent of another agent', { agent: 'codex', id: 'a', seq: 1 }],
      ['a negative number', at('a', -1)],
      ['half a number', at('a', 1.5)],
    ])('%s is refused', async (_name, from) => {
      await startSession(on.store, a, 5)
      await expectFault(on.store.log.open(b, from), 'refused')
    })

    test('a branch from the very beginning and one from the head', async () => {
      await startSession(on.store, a, 2)
      await startSession(on.store, b, 1, {}, at('a', 0))
      await startSession(on.store, c, 1, {}, at('a', 2))
      expect(seqs(await on.store.log.read(b, 0, 9))).toEqual([1])
      expect(seqs(await on.store.log.read(c, 0, 9))).toEqual([1, 2, 3])
    })

    describe('removal', () => {
      test('hides at once, in every call', async () => {
        const approvals = [{ id: 'x', tool: 't', reason: '', requestedAt: 1, expiresAt: null }]
        const results = [{ commandId: 'c', bodyHash: 'h', answer: 1 }]
        const lease = await startSession(on.store, a, 3, {
          wake: { inHand: true, dueAt: 5 },
          results,
          row: row({ approvals }),
        })
        expect(await on.store.log.remove(a)).toBe(true)
        expect(await on.store.log.remove(a)).toBe(false)
        expect(await on.store.log.remove(b)).toBe(false)
        await expectFault(on.store.log.append(lease, { events: events(4, 4), row: row() }), 'fenced')
        const check = async ({ log, directory }: StoreOwner) => {
          expect(await log.read(a, 0, 9)).toEqual([])
          expect(await log.result(a, 'c')).toBeNull()
          expect(await directory.list('acme', {})).toEqual({ sessions: [] })
          expect(await directory.approvals('acme', {})).toEqual({ approvals: [] })
          expect([await directory.due(9, 9), await directory.inHand(9)]).toEqual([[], []])
          expect(await directory.find('acme', 'a')).toEqual([])
        }
        await check(on.store)
        await check(await on.store.restart())
      })

      test('a re-created id goes on from the tombstone and shows nothing old', async () => {
        const old = await startSession(on.store, a, 3, { snapshot: snapshot(3, 1, [[0, '"m"']]) })
        await on.store.log.remove(a)
        const lease = (await on.store.log.open(a))!
        expect(lease).toMatchObject({ exists: false, head: 3, snapshot: null, parent: null })
        await on.store.log.append(lease, { events: events(4, 5), row: row() })
        await expectFault(on.store.log.append(old, { events: events(6, 6) }), 'fenced')
        const { log } = await on.store.restart()
        expect(seqs(await log.read(a, 0, 9))).toEqual([4, 5])
        expect(await log.open(a)).toMatchObject({ exists: true, head: 5, snapshot: null })
        await log.remove(a)
        expect(await log.open(a)).toMatchObject({ exists: false, head: 5 })
        await expectFault(log.open(b, at('a', 5)), 'refused')
      })

      test('[X67] reserved numbers count as used by a removed session, and no session that exists loses its own', async () => {
        await on.store.log.reserve(a, 7)
        const lease = (await on.store.log.open(a))!
        expect(lease).toMatchObject({ exists: false, head: 7, snapshot: null, parent: null })
        await on.store.log.reserve(a, 2)
        const restarted = await on.store.restart()
        const again = (await restarted.log.open(a))!
        expect(again).toMatchObject({ exists: false, head: 7 })
        await restarted.log.append(again, { events: events(8, 9), row: row() })
        await expectFault(restarted.log.reserve(a, 20), 'refused')
        expect(seqs(await restarted.log.read(a, 0, 9))).toEqual([8, 9])
      })

      test('a branch to a re-created id may not repeat its numbers', async () => {
        await startSession(on.store, a, 3)
        await startSession(on.store, b, 5)
        await on.store.log.remove(b)
        await expectFault(on.store.log.open(b, at('a', 3)), 'refused')
      })

      test('a lease from before the removal cannot revive the session', async () => {
        const early = (await on.store.log.open(a))!
        await on.store.log.append(early, { events: events(1, 2), row: row() })
        await on.store.log.remove(a)
        await expectFault(on.store.log.append(early, { events: events(3, 3), row: row() }), 'fenced')
        expect(await on.store.directory.find('acme', 'a')).toEqual([])
      })

      test('a removed parent lives on in its branches, and theirs', async () => {
        await startSession(on.store, a, 4)
        await startSession(on.store, b, 2, {}, at('a', 3))
        await startSession(on.store, c, 2, {}, at('b', 5))
        await on.store.log.remove(a)
        await on.store.log.remove(b)
        const { log, directory } = await on.store.restart()
        expect(seqs(await log.read(a, 0, 9))).toEqual([])
        expect(seqs(await log.read(c, 0, 99))).toEqual(range(1, 7))
        expect((await directory.list('acme', {})).sessions.map((s) => s.key.id)).toEqual(['c'])
        const again = await startSession({ log, directory }, a, 1)
        expect(again.head).toBe(4)
        expect(seqs(await log.read(c, 0, 99))).toEqual(range(1, 7))
      })
    })

    describe('snapshots', () => {
      test('the newest is given back with its settled pieces', async () => {
        const lease = await startSession(on.store, a, 2, { snapshot: snapshot(2, 1, [[0, '"m0"']]) })
        await on.store.log.append(lease, {
          events: events(3, 6),
          snapshot: snapshot(5, 3, [
            [1, '"m1"'],
            [2, '"m\\ud800"'],
          ]),
        })
        const { log } = await on.store.restart()
        expect((await log.open(a))!.snapshot).toEqual({
          seq: 5,
          foldVersion: 'v1',
          state: '{"at":5}',
          pieces: ['"m0"', '"m1"', '"m\\ud800"'],
        })
      })

      test('one whose pieces are not all there is passed over', async () => {
        const lease = await startSession(on.store, a, 2, { snapshot: snapshot(2, 1, [[0, '"m0"']], true) })
        await on.store.log.append(lease, { events: events(3, 4), snapshot: snapshot(4, 3, [[1, '"m1"']]) })
        expect((await on.store.log.open(a))!.snapshot).toMatchObject({ seq: 2, pieces: ['"m0"'] })
      })

      test('others give way, kept ones stay for branches', async () => {
        const lease = await startSession(on.store, a, 10)
        for (const [seq, keep] of [
          [2, false],
          [4, true],
          [6, false],
          [8, true],
          [10, false],
        ] as const)
          await on.store.log.append(lease, { events: events(seq + 9, seq + 10), snapshot: snapshot(seq, 0, [], keep) })
        const best = async (seq: number) => (await on.store.log.open(b, at('a', seq)))!.snapshot?.seq
        expect([await best(20), await best(9), await best(7), await best(3)]).toEqual([10, 8, 4, undefined])
      })

      test('a rewritten message does not spoil an older snapshot', async () => {
        const lease = await startSession(on.store, a, 4, {
          snapshot: snapshot(
            4,
            2,
            [
              [0, '"m0"'],
              [1, '"m1"'],
            ],
            true,
          ),
        })
        await on.store.log.append(lease, { events: events(5, 8), snapshot: snapshot(8, 2, [[1, '"m1 again"']]) })
        expect((await on.store.log.open(a))!.snapshot).toMatchObject({ seq: 8, pieces: ['"m0"', '"m1 again"'] })
        expect((await on.store.log.open(b, at('a', 6)))!.snapshot).toMatchObject({ seq: 4, pieces: ['"m0"', '"m1"'] })
      })

      test('a branch shares the pieces it left with', async () => {
        await startSession(on.store, a, 6, { snapshot: snapshot(3, 1, [[0, '"m0"']], true) })
        const lease = (await on.store.log.open(b, at('a', 4)))!
        expect(lease.snapshot).toMatchObject({ seq: 3, pieces: ['"m0"'] })
        await on.store.log.append(lease, { events: events(5, 7), row: row() })
        expect((await on.store.log.open(b))!.snapshot).toMatchObject({ seq: 3 })
        await on.store.log.append(lease, {
          events: events(8, 8),
          snapshot: snapshot(8, 3, [
            [1, '"b1"'],
            [2, '"b2"'],
          ]),
        })
        await on.store.log.remove(a)
        const { log } = await on.store.restart()
        expect((await log.open(b))!.snapshot).toMatchObject({ seq: 8, pieces: ['"m0"', '"b1"', '"b2"'] })
        expect((await log.open(c, at('b', 5)))!.snapshot).toMatchObject({ seq: 3, pieces: ['"m0"'] })
      })

      describe('what is held of the pieces need not be read, and is never mistaken for another version', () => {
        const two: [number, string][] = [
          [0, '"m0"'],
          [1, '"m1"'],
        ]
        const again: [number, string][] = [
          [1, '"m1 again"'],
          [2, '"m2"'],
        ]
        /** The pieces of a lease, with what is held in its place. */
        const whole = (lease: Lease | null, held: readonly string[]) =>
          lease?.snapshot?.pieces.map((text, index) => text ?? held[index])
        const holds = (seq: number, texts: readonly string[]): KnownPieces => ({ seq, count: texts.length })
        const rewritten = async () => {
          const lease = await startSession(on.store, a, 4, { snapshot: snapshot(4, 2, two, true) })
          await on.store.log.append(lease, { events: events(5, 9), snapshot: snapshot(8, 3, again, true) })
        }

        test.each([
          ['of the newer, at the older', 8, ['"m0"', '"m1 again"', '"m2"'], 6, ['"m0"', '"m1"']],
          ['of the older, at the newer', 4, ['"m0"', '"m1"'], 9, ['"m0"', '"m1 again"', '"m2"']],
          ['of the newer, there', 8, ['"m0"', '"m1 again"', '"m2"'], 9, ['"m0"', '"m1 again"', '"m2"']],
          ['of the older, there', 4, ['"m0"', '"m1"'], 5, ['"m0"', '"m1"']],
          ['of nothing', 0, [], 9, ['"m0"', '"m1 again"', '"m2"']],
        ])('%s', async (_name, seq, held, branchAt, expected) => {
          await rewritten()
          const lease = await on.store.log.open(b, at('a', branchAt), holds(seq, held))
          expect(whole(lease, held)).toEqual(expected)
        })

        test('of a branch that wrote its own, at a number before it left', async () => {
          await rewritten()
          const child = (await on.store.log.open(b, at('a', 6)))!
          const own: [number, string][] = [
            [0, '"b0"'],
            [1, '"b1"'],
          ]
          await on.store.log.append(child, { events: events(7, 9), row: row(), snapshot: snapshot(9, 2, own, true) })
          const held = ['"b0"', '"b1"']
          expect(whole(await on.store.log.open(c, at('b', 5), holds(9, held)), held)).toEqual(['"m0"', '"m1"'])
          expect(whole(await on.store.log.open(c, at('b', 9), holds(9, held)), held)).toEqual(held)
        })
      })

      test('a snapshot at the same number replaces the one there; large ones survive', async () => {
        const large = JSON.stringify('😀'.repeat(700_000))
        const lease = await startSession(on.store, a, 4, {
          snapshot: { ...snapshot(4, 1, [[0, large]], true), state: large },
        })
        expect((await on.store.log.open(a))!.snapshot).toMatchObject({ state: large, pieces: [large] })
        await on.store.log.append(lease, { events: events(5, 5), snapshot: snapshot(4, 1, [[0, '"small"']], true) })
        expect((await on.store.log.open(a))!.snapshot).toMatchObject({ state: '{"at":4}', pieces: ['"small"'] })
      })
    })
  })
}
