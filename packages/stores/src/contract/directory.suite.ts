// The contract of Directory. Every store runs it.

import type { Key } from '@bridle/kernel/event'
import type { ListFilter } from '@bridle/kernel/ports/directory'
import type { Lease, Wake } from '@bridle/kernel/ports/log'
import { describe, expect, test } from 'vitest'
import {
  approval,
  event,
  expectFault,
  healthy,
  key,
  range,
  row,
  type StoreHarness,
  settledApproval,
  startSession,
  underTest,
} from './store.suite.ts'

export const directoryContract = (name: string, make: () => Promise<StoreHarness>): void => {
  describe(`${name}: directory`, () => {
    const on = underTest(make)
    const listed = async (filter: ListFilter, tenant = 'acme') =>
      (await on.store.directory.list(tenant, filter)).sessions.map(({ key: { id } }) => id)

    describe('list', () => {
      test('newest change first, with head and row', async () => {
        const title = 'NUL \u0000, half \ud800, whole 😀'
        const odd = row({ title, updatedAt: 5, detail: { lastError: '', model: null }, approvals: [approval('x', 1)] })
        await startSession(on.store, key('old'), 2, { row: row({ updatedAt: 1 }) })
        await startSession(on.store, key('new'), 3, { row: odd })
        const { directory } = await on.store.restart()
        expect(await directory.list('acme', {})).toEqual({
          sessions: [
            { key: key('new'), head: 3, row: odd },
            { key: key('old'), head: 2, row: row({ updatedAt: 1 }) },
          ],
        })
      })

      test('a change moves it to the front; events alone change nothing but the head', async () => {
        const first = await startSession(on.store, key('first'), 1, { row: row({ updatedAt: 1 }) })
        await startSession(on.store, key('second'), 1, { row: row({ updatedAt: 2 }) })
        await on.store.log.append(first, { events: [event(2)] })
        expect(await listed({})).toEqual(['second', 'first'])
        await on.store.log.append(first, { events: [event(3)], row: row({ updatedAt: 3 }) })
        expect(await listed({})).toEqual(['first', 'second'])
        expect((await on.store.directory.list('acme', {})).sessions[0]!.head).toBe(3)
      })

      test('filters', async () => {
        const parent = { agent: 'scripted', id: 'one', seq: 0 }
        await startSession(on.store, key('one'), 1, { row: row({ updatedAt: 1 }) })
        await startSession(on.store, key('two'), 1, {
          row: row({ updatedAt: 2, status: 'running', kind: 'background', parent }),
        })
        await startSession(on.store, key('three', 'acme', 'codex'), 1, {
          row: row({ updatedAt: 3, status: 'running' }),
        })
        await startSession(on.store, key('foreign', 'other'), 1, { row: row({ updatedAt: 4, status: 'running' }) })
        expect(await listed({ status: 'running' })).toEqual(['three', 'two'])
        expect(await listed({ kind: 'background' })).toEqual(['two'])
        expect(await listed({ agent: 'codex' })).toEqual(['three'])
        expect(await listed({ parentId: 'one' })).toEqual(['two'])
        await startSession(on.store, key('four'), 1, { row: row({ updatedAt: 5, detail: { parentSessionId: 'one' } }) })
        expect(await listed({ parentId: 'one' })).toEqual(['four', 'two'])
        expect(await listed({ status: 'running', kind: 'chat', agent: 'codex', search: 'THREE' })).toEqual(['three'])
        expect(await listed({ status: 'running' }, 'other')).toEqual(['foreign'])
        expect(await listed({}, 'nobody')).toEqual([])
      })

      test('[H81] filters by archive, agents, flag and change; they add up, in full pages', async () => {
        const health = (...flags: string[]) => ({ health: { ...healthy, flags } })
        const rows = [
          row({ updatedAt: 10, detail: health('stuck') }),
          row({ updatedAt: 20, detail: health('stuck', 'loop'), isArchived: true }),
          row({ updatedAt: 30, detail: health() }),
          row({ updatedAt: 40, isArchived: true }),
          row({ updatedAt: 50, detail: health('loop') }),
        ]
        const agents = ['scripted', 'codex', 'claude', 'scripted', 'codex']
        for (const [index, each] of rows.entries())
          await startSession(on.store, key(`s${index + 1}`, 'acme', agents[index]), 1, { row: each })
        expect(await listed({})).toEqual(['s5', 's4', 's3', 's2', 's1'])
        expect(await listed({ archived: false })).toEqual(['s5', 's3', 's1'])
        expect(await listed({ archived: true })).toEqual(['s4', 's2'])
        expect(await listed({ agents: ['codex', 'claude'] })).toEqual(['s5', 's3', 's2'])
        expect(await listed({ agents: [] })).toEqual([])
        expect(await listed({ otherAgents: ['codex', 'absent'] })).toEqual(['s4', 's3', 's1'])
        expect(await listed({ otherAgents: [] })).toHaveLength(5)
        expect(await listed({ flag: 'stuck' })).toEqual(['s2', 's1'])
        expect(await listed({ flag: 'loop', archived: false })).toEqual(['s5'])
        expect(await listed({ flag: 'stuc' })).toEqual([])
        expect(await listed({ changedSince: 20 })).toEqual(['s5', 's4', 's3'])
        expect(await listed({ changedSince: 10, agents: ['codex'], flag: 'loop', archived: true })).toEqual(['s2'])
        const first = await on.store.directory.list('acme', { archived: false, limit: 2 })
        expect(first.sessions.map(({ key: { id } }) => id)).toEqual(['s5', 's3'])
        const second = await on.store.directory.list('acme', { archived: false, limit: 2, cursor: first.next! })
        expect([second.sessions.map(({ key: { id } }) => id), second.next]).toEqual([['s1'], undefined])
      })

      test('[H80] a session leaves the archive with its row', async () => {
        const lease = await startSession(on.store, key('a'), 1, { row: row({ isArchived: true }) })
        await startSession(on.store, key('b'), 1)
        expect(await listed({ archived: true })).toEqual(['a'])
        await on.store.log.append(lease, { events: [event(2)], row: row({ updatedAt: 2 }) })
        const { directory } = await on.store.restart()
        const { sessions } = await directory.list('acme', { archived: false })
        expect(sessions.map(({ key: { id } }) => id)).toEqual(['a', 'b'])
      })

      test('search looks through ids and titles, and takes every character literally', async () => {
        const titles = {
          one: '100% sure',
          two: 'under_score',
          three: 'back\\slash',
          four: "O'Neil ÄRGER",
          five: '[a-z]*?',
        }
        for (const [id, title] of Object.entries(titles))
          await startSession(on.store, key(id), 1, { row: row({ title }) })
        for (const [search, found] of Object.entries({
          '%': ['one'],
          _: ['two'],
          '\\': ['three'],
          "'": ['four'],
          ärger: ['four'],
          "O'NEIL": ['four'],
          '*?': ['five'],
          FIVE: ['five'],
          '100%': ['one'],
          '1%0': [],
        }))
          expect([search, await listed({ search })]).toEqual([search, found])
      })

      test('pages meet every unchanged session once, while others change', async () => {
        const leases = new Map<string, Awaited<ReturnType<typeof startSession>>>()
        for (const n of range(1, 25))
          leases.set(
            `s${n}`,
            await startSession(on.store, key(`s${n}`), 1, { row: row({ updatedAt: Math.ceil(n / 5) }) }),
          )
        const seen: string[] = []
        let cursor: string | undefined
        let moment = 100
        do {
          const page = await on.store.directory.list('acme', { limit: 4, ...(cursor !== undefined && { cursor }) })
          expect(page.sessions.length).toBeLessThanOrEqual(4)
          seen.push(...page.sessions.map(({ key: { id } }) => id))
          // Between pages a listed session moves to the front, another is created, another is removed.
          await on.store.log.append(leases.get(seen[0]!)!, {
            events: [event(moment - 98)],
            row: row({ updatedAt: moment }),
          })
          await startSession(on.store, key(`n${moment}`), 1, { row: row({ updatedAt: moment }) })
          if (moment === 102) await on.store.log.remove(key(seen.at(-1)!))
          moment++
          cursor = page.next
        } while (cursor !== undefined)
        expect(seen.toSorted()).toEqual([...leases.keys()].toSorted())
      })

      test('[H20] by creation, pages meet every session once, whatever changes meanwhile', async () => {
        const leases = new Map<string, Awaited<ReturnType<typeof startSession>>>()
        for (const n of range(1, 25)) leases.set(`s${n}`, await startSession(on.store, key(`s${n}`), 1))
        await startSession(on.store, key('foreign', 'other'), 1)
        const seen: string[] = []
        let cursor: string | undefined
        let moment = 100
        do {
          const page = await on.store.directory.list('acme', {
            ...{ order: 'created', limit: 4 },
            ...(cursor !== undefined && { cursor }),
          })
          seen.push(...page.sessions.map(({ key: { id } }) => id))
          // Some that are not seen yet change, as do some that are; the former would slip past a list by last change.
          for (const id of [`s${25 - (moment - 100)}`, seen[0]!])
            await on.store.log.append(leases.get(id)!, {
              events: [event(id === seen[0] ? moment - 98 : 2)],
              row: row({ updatedAt: moment }),
            })
          moment++
          cursor = page.next
        } while (cursor !== undefined)
        expect(seen.toSorted()).toEqual([...leases.keys()].toSorted())
        await startSession(on.store, key('new'), 1)
        const all = await on.store.directory.list('acme', { order: 'created', limit: 500 })
        expect(all.sessions).toHaveLength(26)
        const some = await on.store.directory.list('acme', { order: 'created', search: 's2', limit: 3 })
        expect(some.sessions.map((each) => each.key.id).every((id) => id.startsWith('s2'))).toBe(true)
        // A cursor of one order is none of the other.
        const recent = await on.store.directory.list('acme', { limit: 1 })
        await expectFault(on.store.directory.list('acme', { order: 'created', cursor: recent.next! }), 'refused')
      })

      test('the last full page has no next', async () => {
        for (const n of range(1, 4)) await startSession(on.store, key(`s${n}`), 1)
        const first = await on.store.directory.list('acme', { limit: 2 })
        const second = await on.store.directory.list('acme', { limit: 2, cursor: first.next! })
        expect(second.sessions).toHaveLength(2)
        expect(second).not.toHaveProperty('next')
      })

      test.each(['', 'x', '1', '1.2.3', '1.x', "1.1'", '1.1e3', 'NaN.1'])('cursor %j is refused', async (cursor) => {
        await expectFault(on.store.directory.list('acme', { cursor }), 'refused')
      })
    })

    describe('approvals', () => {
      test('oldest request first, across sessions, in pages', async () => {
        const ask = (...ids: [string, number][]) => row({ approvals: ids.map(([id, when]) => approval(id, when)) })
        await startSession(on.store, key('a'), 1, { row: ask(['a1', 5], ['a2', 1]) })
        await startSession(on.store, key('b'), 1, { row: ask(['b1', 3], ['b2', 5]) })
        await startSession(on.store, key('c'), 1)
        await startSession(on.store, key('d', 'other'), 1, { row: ask(['d1', 0]) })
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const page = await on.store.directory.approvals('acme', { limit: 1, ...(cursor !== undefined && { cursor }) })
          seen.push(...page.approvals.map((found) => `${found.key.id}:${found.approval.id}`))
          cursor = page.next
        } while (cursor !== undefined)
        expect(seen).toEqual(['a:a2', 'b:b1', 'a:a1', 'b:b2'])
        expect((await on.store.directory.openApprovals?.()) ?? seen.length + 1).toBe(seen.length + 1)
        expect(await on.store.directory.approvals('other', {})).toEqual({
          approvals: [{ key: key('d', 'other'), approval: approval('d1', 0) }],
        })
      })

      test('an answered one is gone', async () => {
        const lease = await startSession(on.store, key('a'), 1, {
          row: row({ approvals: [approval('x', 1), approval('y', 2)] }),
        })
        await on.store.log.append(lease, { events: [event(2)], row: row({ approvals: [approval('y', 2)] }) })
        const { directory } = await on.store.restart()
        expect((await directory.approvals('acme', {})).approvals.map((found) => found.approval.id)).toEqual(['y'])
      })
    })

    describe('settled approvals', () => {
      const all = async (filter: { limit?: number; viewer?: string }, tenant = 'acme') => {
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const page = await on.store.directory.settled(tenant, { ...filter, ...(cursor !== undefined && { cursor }) })
          seen.push(...page.approvals.map((found) => `${found.key.id}:${found.approval.id}`))
          cursor = page.next
        } while (cursor !== undefined)
        return seen
      }

      test('[H77] newest decision first, across sessions, in pages of any size', async () => {
        const of = (...ids: [string, number, number][]) =>
          row({ settled: ids.map(([id, when, seq]) => settledApproval(id, when, seq)) })
        await startSession(on.store, key('a'), 9, { row: of(['a1', 1, 3], ['a2', 5, 7], ['a3', 5, 8]) })
        await startSession(on.store, key('b'), 9, { row: of(['b1', 3, 2], ['b2', 6, 9]) })
        await startSession(on.store, key('c'), 1)
        await startSession(on.store, key('d', 'other'), 9, { row: of(['d1', 9, 5]) })
        for (const limit of [1, 2, 3, 50])
          expect([limit, await all({ limit })]).toEqual([limit, ['b:b2', 'a:a3', 'a:a2', 'b:b1', 'a:a1']])
        expect(await on.store.directory.settled('other', {})).toEqual({
          approvals: [{ key: key('d', 'other'), approval: settledApproval('d1', 9, 5) }],
        })
      })

      test('[H77] a row drops the oldest, and a removed session all of them; they outlive a restart', async () => {
        const first = [settledApproval('x', 1, 1), settledApproval('y', 2, 2)]
        const lease = await startSession(on.store, key('a'), 2, { row: row({ settled: first }) })
        await startSession(on.store, key('b'), 2, { row: row({ settled: [settledApproval('z', 3, 2)] }) })
        await on.store.log.append(lease, { events: [event(3)], row: row({ settled: first }) })
        expect(await all({})).toEqual(['b:z', 'a:y', 'a:x'])
        const later = row({ settled: [settledApproval('y', 2, 2), settledApproval('w', 4, 4)] })
        await on.store.log.append(lease, { events: [event(4)], row: later })
        expect(await all({})).toEqual(['a:w', 'b:z', 'a:y'])
        await on.store.log.remove(key('b'))
        const { directory } = await on.store.restart()
        const left = await directory.settled('acme', {})
        expect(left.approvals.map(({ approval: { id } }) => id)).toEqual(['w', 'y'])
      })

      test('[H32] a viewer is shown its own and nobody’s', async () => {
        for (const [id, owner] of [
          ['a', 'user:ada'],
          ['b', 'user:bob'],
          ['n', null],
        ] as const)
          await startSession(on.store, key(id), 1, { row: row({ owner, settled: [settledApproval('x', 1, 1)] }) })
        expect((await all({ limit: 1, viewer: 'user:ada' })).toSorted()).toEqual(['a:x', 'n:x'])
        expect((await all({ limit: 1, viewer: 'user:cy' })).toSorted()).toEqual(['n:x'])
      })
    })

    describe('[H32] owners', () => {
      const ask = (owner: string | null, updatedAt: number) =>
        row({ owner, updatedAt, approvals: [approval('x', updatedAt)] })

      test('a viewer is shown its own and nobody’s, in full pages', async () => {
        const owners = ['user:ada', 'user:bob', null, 'user:cy'] as const
        for (const n of range(1, 24))
          await startSession(on.store, key(`s${n}`), 1, { row: ask(owners[n % 4] ?? null, n) })
        for (const viewer of ['user:ada', 'user:bob', 'user:cy', 'user:nobody']) {
          const mine = range(1, 24).filter((n) => [viewer, null].includes(owners[n % 4] ?? null))
          const pages: string[][] = []
          const asked: string[] = []
          for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
            const page = await on.store.directory.list('acme', {
              viewer,
              limit: 5,
              ...(cursor !== undefined && { cursor }),
            })
            pages.push(page.sessions.map(({ key: { id } }) => id))
            cursor = page.next
          }
          for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
            const page = await on.store.directory.approvals('acme', {
              ...{ viewer, limit: 5 },
              ...(cursor !== undefined && { cursor }),
            })
            asked.push(...page.approvals.map((found) => found.key.id))
            cursor = page.next
          }
          expect(pages.flat()).toEqual(mine.toReversed().map((n) => `s${n}`))
          expect(pages.slice(0, -1).every(({ length }) => length === 5)).toBe(true)
          expect(asked).toEqual(mine.map((n) => `s${n}`))
        }
        expect((await on.store.directory.list('acme', { limit: 100 })).sessions).toHaveLength(24)
        expect(await on.store.directory.find('acme', 's1')).toEqual([{ key: key('s1'), owner: 'user:bob' }])
      })

      test('an id that names a user is that user’s, and so is what hangs from it, though no row says so', async () => {
        const parent = { agent: 'scripted', id: 'user:ada', seq: 0 }
        await startSession(on.store, key('user:ada'), 1)
        await startSession(on.store, key('leaf'), 1, { row: row({ parent }) })
        await startSession(on.store, key('work'), 1, { row: row({ detail: { parentSessionId: 'user:ada' } }) })
        await startSession(on.store, key('other'), 1)
        const shown = async (viewer: string) => (await listed({ viewer })).toSorted()
        expect(await shown('user:ada')).toEqual(['leaf', 'other', 'user:ada', 'work'])
        expect(await shown('user:bob')).toEqual(['other'])
      })
    })

    test('due: at or before now, earliest first; in hand: in the order in which they were made', async () => {
      const wakes: { [id: string]: Wake } = {
        hand: { inHand: true, dueAt: null },
        later: { inHand: false, dueAt: 20 },
        both: { inHand: true, dueAt: 15 },
        soon: { inHand: false, dueAt: 10 },
        never: { inHand: false, dueAt: null },
      }
      const leases: { [id: string]: Lease } = {}
      for (const [id, wake] of Object.entries(wakes)) leases[id] = await startSession(on.store, key(id), 1, { wake })
      await startSession(on.store, key('unset'), 1)
      const ids = (keys: readonly Key[]) => keys.map(({ id }) => id)
      const due = async (now: number, limit = 9) => ids(await on.store.directory.due(now, limit))
      const inHand = async (limit = 9) => ids(await on.store.directory.inHand(limit))
      expect([await due(9), await due(10), await due(99)]).toEqual([[], ['soon'], ['soon', 'both', 'later']])
      expect([await due(99, 2), await inHand(), await inHand(1)]).toEqual([
        ['soon', 'both'],
        ['hand', 'both'],
        ['hand'],
      ])
      // An append without a wake leaves it as it is.
      await on.store.log.append(leases.both!, { events: [event(2)] })
      expect([await due(15), await inHand()]).toEqual([
        ['soon', 'both'],
        ['hand', 'both'],
      ])
      const append = (id: string, wake: Wake) =>
        on.store.log.append(leases[id]!, { events: [event(id === 'both' ? 3 : 2)], wake })
      await append('both', { inHand: false, dueAt: 15 })
      await append('soon', { inHand: false, dueAt: null })
      await append('never', { inHand: true, dueAt: 5 })
      const restarted = await on.store.restart()
      expect(ids(await restarted.directory.due(15, 9))).toEqual(['never', 'both'])
      expect(ids(await restarted.directory.inHand(9))).toEqual(['hand', 'never'])
    })

    test('find: every agent that has this id, of this tenant alone, in the order in which they were made', async () => {
      await startSession(on.store, key('x', 'acme', 'two'), 1)
      await startSession(on.store, key('x', 'acme', 'one'), 1)
      await startSession(on.store, key('x', 'other', 'three'), 1)
      await startSession(on.store, key('y'), 1)
      expect(await on.store.directory.find('acme', 'x')).toEqual([
        { key: key('x', 'acme', 'two'), owner: null },
        { key: key('x', 'acme', 'one'), owner: null },
      ])
      await on.store.log.remove(key('x', 'acme', 'two'))
      await startSession(on.store, key('x', 'acme', 'two'), 1)
      const again = await on.store.directory.find('acme', 'x')
      expect(again.map((each) => each.key.agent)).toEqual(['one', 'two'])
      expect(await on.store.directory.find('acme', 'X')).toEqual([])
      expect(await on.store.directory.find('nobody', 'x')).toEqual([])
    })
  })
}
