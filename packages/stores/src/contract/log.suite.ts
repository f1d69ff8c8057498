// The contract of Log. Every store runs it.

import { keyText } from '@bridle/kernel/event'
import { describe, expect, test } from 'vitest'
import {
  event,
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

const a = key('a')

/** Sessions that are due by 9, then those that have an effect in hand. */
const woken = async ({ directory }: Pick<StoreOwner, 'directory'>) => [
  ...(await directory.due(9, 9)),
  ...(await directory.inHand(9)),
]

export const logContract = (name: string, make: () => Promise<StoreHarness>): void => {
  describe(`${name}: log`, () => {
    const on = underTest(make)

    test('opening writes nothing', async () => {
      const { log, directory } = on.store
      expect(await log.open(a)).toMatchObject({ key: a, exists: false, head: 0, parent: null, snapshot: null })
      expect(await log.open(a)).toMatchObject({ exists: false, head: 0 })
      expect(await directory.find('acme', 'a')).toEqual([])
      expect(await log.read(a, 0, 10)).toEqual([])
    })

    test('what was appended is read back, also by the next owner', async () => {
      const lease = await startSession(on.store, a, 3)
      await on.store.log.append(lease, { events: events(4, 6) })
      expect(await on.store.log.read(a, 0, 100)).toEqual(events(1, 6))
      const next = await on.store.restart()
      expect(await next.log.read(a, 0, 100)).toEqual(events(1, 6))
      expect(await next.log.open(a)).toMatchObject({ exists: true, head: 6 })
    })

    test('a read starts after its cursor and keeps to its limit', async () => {
      const lease = await startSession(on.store, a, 10)
      for (let seq = 11; seq <= 30; seq++) await on.store.log.append(lease, { events: [event(seq)] })
      for (const [after, limit] of [
        [0, 5],
        [3, 4],
        [9, 100],
        [10, 1],
        [17, 8],
        [29, 5],
        [30, 5],
        [99, 5],
        [0, 0],
      ] as const)
        expect(seqs(await on.store.log.read(a, after, limit))).toEqual(range(after + 1, Math.min(30, after + limit)))
    })

    describe('numbers are dense', () => {
      test.each([
        ['a gap', events(5, 6)],
        ['a repeat', events(3, 4)],
        ['a gap inside', [event(4), event(6)]],
        ['a repeat inside', [event(4), event(4)]],
        ['a fraction', [event(4.5)]],
      ])('%s is refused and writes nothing', async (_name, list) => {
        const lease = await startSession(on.store, a, 3)
        await expectFault(
          on.store.log.append(lease, { events: list, row: row({ title: 'no' }), wake: { inHand: true, dueAt: 7 } }),
          'refused',
        )
        expect(await on.store.log.read(a, 0, 100)).toEqual(events(1, 3))
        expect((await on.store.directory.list('acme', {})).sessions[0]).toMatchObject({ head: 3, row: row() })
        expect(await woken(on.store)).toEqual([])
        await on.store.log.append(lease, { events: events(4, 4) })
      })

      test('nothing at all is refused, and so is a first append without events', async () => {
        const lease = await startSession(on.store, a, 3)
        await expectFault(on.store.log.append(lease, { events: [], wake: { inHand: true, dueAt: 7 } }), 'refused')
        expect(await woken(on.store)).toEqual([])
        const fresh = (await on.store.log.open(key('b')))!
        await expectFault(on.store.log.append(fresh, { events: [], row: row() }), 'refused')
        expect(await on.store.directory.find('acme', 'b')).toEqual([])
      })

      test('a row may be touched without an event', async () => {
        const lease = await startSession(on.store, a, 3)
        await on.store.log.append(lease, { events: [], row: row({ title: 'touched' }) })
        const { log, directory } = await on.store.restart()
        expect((await directory.list('acme', {})).sessions[0]).toMatchObject({
          head: 3,
          row: row({ title: 'touched' }),
        })
        expect(await log.read(a, 0, 100)).toEqual(events(1, 3))
      })

      test('the first append needs a row', async () => {
        const lease = (await on.store.log.open(a))!
        await expectFault(on.store.log.append(lease, { events: events(1, 2) }), 'refused')
        expect(await on.store.directory.find('acme', 'a')).toEqual([])
        await on.store.log.append(lease, { events: events(1, 2), row: row() })
      })

      test('appends in flight keep their order', async () => {
        const lease = (await on.store.log.open(a))!
        const first = on.store.log.append(lease, { events: events(1, 2), row: row() })
        const second = on.store.log.append(lease, { events: events(3, 4) })
        await Promise.all([first, second])
        expect(seqs(await on.store.log.read(a, 0, 9))).toEqual(range(1, 4))
      })

      test('two leases of one session: the second to write a number is refused', async () => {
        const [one, two] = [(await on.store.log.open(a))!, (await on.store.log.open(a))!]
        const won = on.store.log.append(one, { events: [event(1, 'one')], row: row() })
        const lost = on.store.log.append(two, { events: [event(1, 'two')], row: row() })
        await Promise.all([won, expectFault(lost, 'refused')])
        expect(await on.store.log.read(a, 0, 9)).toEqual([event(1, 'one')])
        await on.store.log.append(two, { events: [event(2)] })
      })
    })

    test('a deposed owner changes nothing', async () => {
      const old = await startSession(on.store, a, 3)
      const fresh = (await on.store.log.open(key('fresh')))!
      const next = await on.store.takeOver()
      await expectFault(on.store.log.append(old, { events: events(4, 4), row: row({ title: 'old' }) }), 'fenced')
      await expectFault(on.store.log.append(fresh, { events: events(1, 1), row: row() }), 'fenced')
      await expectFault(on.store.log.remove(a), 'fenced')
      expect(await on.store.log.open(a)).toBeNull()
      const lease = (await next.log.open(a))!
      expect(lease.epoch).toBeGreaterThan(old.epoch)
      await next.log.append(lease, { events: events(4, 5) })
      expect(await next.log.read(a, 0, 9)).toEqual(events(1, 5))
      expect(await next.directory.find('acme', 'fresh')).toEqual([])
    })

    describe('an append is atomic', () => {
      const answer = { commandId: 'c1', bodyHash: 'h', answer: { ok: true } }
      const snapshot = { seq: 4, foldVersion: 'v', state: '{}', settled: 0, pieces: [], keep: false }

      test('events, row, wake time, answers and snapshot come together', async () => {
        const lease = await startSession(on.store, a, 3)
        await on.store.log.append(lease, {
          events: events(4, 4),
          row: row({ status: 'running', updatedAt: 9 }),
          wake: { inHand: true, dueAt: 7 },
          results: [answer],
          snapshot,
        })
        const { log, directory } = await on.store.restart()
        expect(await log.open(a)).toMatchObject({ head: 4, snapshot: { seq: 4, state: '{}', pieces: [] } })
        expect(await log.result(a, 'c1')).toEqual(answer)
        expect(await woken({ directory })).toEqual([a, a])
        expect((await directory.list('acme', {})).sessions[0]).toMatchObject({ head: 4, row: { status: 'running' } })
      })

      test('a member that fails writes none of its parts; the others of its group are written', async () => {
        const good = await startSession(on.store, a, 1)
        const bad = await startSession(on.store, key('bad'), 1, { results: [answer] })
        const also = await startSession(on.store, key('also'), 1)
        const changed = row({ title: 'changed' })
        const outcomes = await Promise.allSettled([
          on.store.log.append(good, { events: events(2, 2), row: changed }),
          // The command id is taken.
          on.store.log.append(bad, {
            events: events(2, 2),
            row: changed,
            wake: { inHand: true, dueAt: 5 },
            results: [answer],
            snapshot: { ...snapshot, seq: 2 },
          }),
          on.store.log.append(also, { events: events(3, 3) }),
          on.store.log.append(also, { events: events(2, 2), row: changed }),
        ])
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
        expect(seqs(await on.store.log.read(a, 0, 9))).toEqual([1, 2])
        expect(seqs(await on.store.log.read(key('bad'), 0, 9))).toEqual([1])
        expect(seqs(await on.store.log.read(key('also'), 0, 9))).toEqual([1, 2])
        expect((await on.store.log.open(key('bad')))!.snapshot).toBeNull()
        expect(await woken(on.store)).toEqual([])
        const titles = (await on.store.directory.list('acme', {})).sessions.map((s) => [s.key.id, s.row.title])
        expect(Object.fromEntries(titles)).toEqual({ a: 'changed', also: 'changed', bad: 'A session' })
      })

      test('what is not JSON is refused, and costs the others nothing', async () => {
        const [one, two, three] = await Promise.all(['a', 'b', 'c'].map((id) => startSession(on.store, key(id), 1)))
        const big = 1n as never
        const outcomes = [
          on.store.log.append(one!, { events: [event(2)] }),
          expectFault(
            on.store.log.append(two!, { events: [event(2)], row: row({ detail: { attempts: big } }) }),
            'refused',
          ),
          expectFault(on.store.log.append(three!, { events: [event(2, big)] }), 'refused'),
          on.store.log.append(one!, { events: [event(3)] }),
        ]
        await Promise.all(outcomes)
        const heads = (await on.store.directory.list('acme', {})).sessions.map((s) => [s.key.id, s.head])
        expect(Object.fromEntries(heads)).toEqual({ a: 3, b: 1, c: 1 })
      })

      test('a snapshot beyond the log is refused', async () => {
        const lease = await startSession(on.store, a, 3)
        await expectFault(
          on.store.log.append(lease, { events: events(4, 4), snapshot: { ...snapshot, seq: 5 } }),
          'refused',
        )
      })
    })

    describe('stored answers', () => {
      test('are kept by command id, per session, also without events', async () => {
        const lease = await startSession(on.store, a, 1)
        const odd = { commandId: 'odd \ud800\u0000/"%', bodyHash: '1', answer: [null, 'x\ud800', { __proto__x: 1 }] }
        await on.store.log.append(lease, { events: [], results: [odd] })
        const { log } = await on.store.restart()
        expect(await log.result(a, odd.commandId)).toEqual(odd)
        expect(await log.result(a, 'odd')).toBeNull()
        expect(await log.result(key('b'), odd.commandId)).toBeNull()
        expect(await log.result(key('a', 'other'), odd.commandId)).toBeNull()
      })
    })

    describe('any payload survives', () => {
      test.each([
        [
          'an unknown type and unknown fields',
          { type: 'from_the_future', seq: 1, at: 1, payload: { x: 1 }, extra: { deep: [1] } },
        ],
        ['NUL', event(1, { text: 'a\u0000b', '\u0000': 1 })],
        ['lone surrogates', event(1, { text: '\ud83d x \ude00', '\udc00': 1 })],
        ['emoji of four bytes', event(1, { text: '😀🏴‍☠️' })],
        ['the empty string', event(1, { '': '', text: '' })],
        ['integer-like keys', event(1, { 10: 'a', 2: 'b', x: 'c', '-1': 'd' })],
        ['__proto__ as a key', event(1, JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'))],
        ['numbers at the edge', event(1, [2 ** 53 - 1, -0.1, 1e308, 5e-324])],
        ['a text of a megabyte', event(1, { text: 'x'.repeat(1_000_000) })],
        ['a megabyte of emoji', event(1, { text: `a${'😀'.repeat(500_000)}` })],
        ['a megabyte that must be escaped', event(1, { text: '\u0000\ud800'.repeat(500_000) })],
      ])('%s', async (_name, odd) => {
        const lease = (await on.store.log.open(a))!
        await on.store.log.append(lease, { events: [odd as never], row: row() })
        await on.store.log.append(lease, { events: [{ ...odd, seq: 2 } as never] })
        const { log } = await on.store.restart()
        const read = await log.read(a, 0, 10)
        expect(read.map((one) => JSON.stringify(one))).toEqual(
          [odd, { ...odd, seq: 2 }].map((one) => JSON.stringify(one)),
        )
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
      })

      test('what the caller changes afterwards does not leak in', async () => {
        const lease = (await on.store.log.open(a))!
        const mine = { type: 'token', seq: 1, at: 1, payload: { text: 'before' } }
        const done = on.store.log.append(lease, { events: [mine as never], row: row() })
        mine.payload.text = 'after'
        await done
        expect((await on.store.log.read(a, 0, 1))[0]!.payload).toEqual({ text: 'before' })
        const read = await on.store.log.read(a, 0, 1)
        ;(read[0]!.payload as { text: string }).text = 'mine'
        expect((await on.store.log.read(a, 0, 1))[0]!.payload).toEqual({ text: 'before' })
      })
    })

    test('5,000 events in one append', async () => {
      const lease = await startSession(on.store, a, 5000)
      await on.store.log.append(lease, { events: events(5001, 5001) })
      expect(await on.store.log.read(a, 0, 10_000)).toEqual(events(1, 5001))
      expect(await on.store.log.read(a, 4321, 10)).toEqual(events(4322, 4331))
    })

    test('100 sessions at once, each with its own numbers', async () => {
      const ids = range(1, 100).map((n) => key(`s${n}`))
      const text = (id: string) => (seq: number) => `${id}/${seq}`
      await Promise.all(
        ids.map(async (id) => {
          const lease = (await on.store.log.open(id))!
          for (let round = 0; round < 30; round++)
            await on.store.log.append(lease, {
              events: events(round * 2 + 1, round * 2 + 2, text(id.id)),
              ...(round === 0 && { row: row() }),
            })
        }),
      )
      const check = async (owner: StoreOwner) => {
        for (const id of ids) expect(await owner.log.read(id, 0, 100)).toEqual(events(1, 60, text(id.id)))
      }
      await check(on.store)
      await check(await on.store.restart())
    })

    test('a key outside the grammar is refused', async () => {
      for (const id of ['', 'a/b', 'a b', '..\u0000', '\ud800', 'x'.repeat(129)])
        await expectFault(on.store.log.open(key(id)), 'refused')
    })

    test('a page of large events is short, has at least one, and pages join without a gap', async () => {
      const lease = (await on.store.log.open(a))!
      await on.store.log.append(lease, { events: events(1, 20, () => ({ text: 'x'.repeat(60_000) })), row: row() })
      const first = await on.store.log.read(a, 0, 100, { charsMax: 100_000 })
      expect(first.length).toBeGreaterThan(0)
      expect(first.length).toBeLessThan(10)
      expect(await on.store.log.read(a, 0, 100, { charsMax: 1 })).toHaveLength(1)
      const seen: number[] = []
      while (seen.length < 20) seen.push(...seqs(await on.store.log.read(a, seen.length, 100, { charsMax: 100_000 })))
      expect(seen).toEqual(seqs(events(1, 20)))
    })

    test('one tenant never sees another', async () => {
      await startSession(on.store, a, 2, { results: [{ commandId: 'c', bodyHash: 'h', answer: 1 }] })
      const foreign = key('a', 'other')
      expect(await on.store.log.read(foreign, 0, 9)).toEqual([])
      expect(await on.store.log.result(foreign, 'c')).toBeNull()
      expect(await on.store.log.remove(foreign)).toBe(false)
      expect(await on.store.log.open(foreign)).toMatchObject({ exists: false, head: 0 })
      await expectFault(on.store.log.open(key('b', 'other'), { agent: 'scripted', id: 'a', seq: 1 }), 'refused')
      await startSession(on.store, foreign, 1)
      expect(seqs(await on.store.log.read(a, 0, 9))).toEqual([1, 2])
      expect(seqs(await on.store.log.read(key('a', 'acme', 'codex'), 0, 9))).toEqual([])
      expect(keyText(a)).not.toBe(keyText(foreign))
    })
  })
}
