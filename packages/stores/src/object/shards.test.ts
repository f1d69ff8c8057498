// Several objects as one directory: the contract of directories, and what changes with their number.

import { keyText } from '@bridle/kernel/event'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import type { Log } from '@bridle/kernel/ports/log'
import { beforeEach, expect, test } from 'vitest'
import { directoryContract } from '../contract/directory.suite.ts'
import { approval, key, row, type StoreHarness, type StoreOwner, settledApproval } from '../contract/store.suite.ts'
import { sqliteStore } from '../sqlite/sqlite-store.ts'
import { noTail } from '../sqlite/tail.ts'
import { type ObjectDriver, type ObjectStorage, objectDriver } from './object-driver.ts'
import { directoryObjectMigrations, sessionObjectMigrations } from './object-schema.ts'
import { memoryObjectStorage } from './object-storage.suite.ts'
import type { ObjectNamespace } from './platform-types.ts'
import { type DirectoryStub, remoteDirectory } from './remote-directory.ts'
import { DirectoryIndex } from './session-index.ts'
import { type ShardCounts, shardName, tenantDirectory } from './shards.ts'

/** The objects of a namespace, each with a storage of its own. */
class TestNamespace implements ObjectNamespace<DirectoryStub> {
  readonly #storages: Map<string, ObjectStorage>
  readonly asked: string[] = []

  constructor(storages = new Map<string, ObjectStorage>()) {
    this.#storages = storages
  }

  /** As another instance of the Worker sees them. */
  again(): TestNamespace {
    return new TestNamespace(this.#storages)
  }

  driver(name: string): ObjectDriver {
    const kept = this.#storages.get(name) ?? memoryObjectStorage()
    this.#storages.set(name, kept)
    return objectDriver(kept, name === 'sessions' ? sessionObjectMigrations : directoryObjectMigrations)
  }

  idFromName = (name: string): string => name

  get(id: unknown): DirectoryStub {
    const name = String(id)
    const index = new DirectoryIndex(this.driver(name))
    // All messages between objects are copied.
    return new Proxy({} as DirectoryStub, {
      get: (_, call: Exclude<keyof DirectoryStub, 'secret'>) =>
        call === 'adopt'
          ? (tenant: string, shard: { index: number; of: number }, from: readonly string[]) => {
              this.asked.push(name)
              return index.adoptFrom(
                tenant,
                shard,
                from.map((each) => this.get(each)),
              )
            }
          : async (...args: never[]) =>
              structuredClone(await (index[call] as (...args: never[]) => Promise<unknown>)(...structuredClone(args))),
    })
  }
}

/** A store whose sessions tell of themselves after every write, and whose lists are the directory's. */
const over = (shards: ShardCounts) => async (): Promise<StoreHarness> => {
  const objects = new TestNamespace()
  const owner = (): StoreOwner => {
    const driver = objects.driver('sessions')
    const store = sqliteStore(driver, driver.epoch, noTail)
    const tell = async (where: Parameters<Log['remove']>[0]) => {
      const { tenant, agent, id } = where
      const found = driver.get<{ row: string }>(
        'SELECT row FROM sessions WHERE tenant = ? AND id = ? AND agent = ? AND removed = 0',
        ...[tenant, id, agent],
      )
      const head = (await store.log.open(where))?.head ?? 0
      const told = {
        key: where,
        home: keyText(where),
        head,
        row: found ? (JSON.parse(found.row) as DirectoryRow) : null,
      }
      await tenantDirectory(objects, shards, tenant).update([told])
    }
    const log: Log = {
      ...store.log,
      append: async (lease, append) => {
        await store.log.append(lease, append)
        await tell(lease.key)
      },
      remove: async (where) => {
        const removed = await store.log.remove(where)
        await tell(where)
        return removed
      },
    }
    return {
      log,
      directory: { ...remoteDirectory(objects, shards), due: store.directory.due, inHand: store.directory.inHand },
    }
  }
  return {
    ...owner(),
    takeOver: async () => owner(),
    restart: async () => owner(),
    loseCommits: async () => owner(),
    dispose: async () => {},
  }
}

for (const count of [1, 2, 5])
  directoryContract(`[CF16] a directory of ${count} objects`, over({ count, previousCounts: [] }))

let objects: TestNamespace
beforeEach(() => {
  objects = new TestNamespace()
})

const of = (count: number, ...before: number[]) => tenantDirectory(objects, { count, previousCounts: before }, 'acme')
const told = (id: string, updatedAt: number, more: Partial<DirectoryRow> = {}) => ({
  key: key(id),
  home: `acme/scripted/${id}`,
  head: 3,
  row: row({ updatedAt, ...more }),
})
const found = (id: string, home = `acme/scripted/${id}`) => ({ key: key(id), home, owner: null, isRemoved: false })
const ids = async (directory: ReturnType<typeof of>) =>
  (await directory.list({})).sessions.map((listed) => listed.key.id)

test('[CF16] sessions are spread over all objects; what concerns one asks one', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `s-${n}`)
  for (const id of names) await of(4).register({ key: key(id), home: 'home' })
  const counts = [0, 1, 2, 3].map(
    (index) =>
      objects.driver(shardName('acme', index, 4)).get<{ n: number }>('SELECT count(*) AS n FROM homes')?.n ?? 0,
  )
  expect(counts.reduce((a, b) => a + b)).toBe(200)
  for (const count of counts) expect(count).toBeGreaterThan(20)
  for (const id of names) expect(await of(4).find(id)).toEqual([found(id, 'home')])
})

test('[H77] nothing is left of the settled approvals of a removed session', async () => {
  for (const [id, seq] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const)
    await of(1).update([told(id, seq, { settled: [settledApproval(`of-${id}`, seq, seq)] })])
  const settled = async () => (await of(1).settled({})).approvals.map((each) => `${each.key.id} ${each.approval.id}`)
  expect(await settled()).toEqual(['c of-c', 'b of-b', 'a of-a'])
  await of(1).update([{ ...told('c', 4), head: 4, row: null }])
  await of(1).update([told('d', 5)])
  expect(await settled()).toEqual(['b of-b', 'a of-a'])
  const sql = 'SELECT count(*) AS n FROM settled_approvals'
  expect(objects.driver(shardName('acme', 0, 1)).get<{ n: number }>(sql)?.n).toBe(2)
})

test('[CF16] a home once given stays, and a nonce is good once, whichever object has it', async () => {
  expect(await of(3).register({ key: key('a'), home: 'first' })).toBe('first')
  expect(await of(3).register({ key: key('a'), home: 'second' })).toBe('first')
  for (const nonce of ['n-1', 'n-2', 'n-3', 'n-4']) {
    expect(await of(3).redeem(nonce, Date.now() + 1_000)).toBe(true)
    expect(await of(3).redeem(nonce, Date.now() + 1_000)).toBe(false)
  }
})

test.each([
  [1, 4],
  [4, 1],
  [3, 2],
])('[CF16] from %i to %i objects: the new ones take everything over, once', async (before, count) => {
  const names = Array.from({ length: 450 }, (_, n) => `s-${n}`)
  await of(before).update(names.map((id, n) => told(id, n)))
  await of(before).update([told('asks', 1_000, { approvals: [approval('x', 1)] })])
  await of(before).register({ key: key('new'), home: 'elsewhere' })
  await of(before).update([{ ...told('s-7', 7), head: 4, row: null }])
  const after = of(count, before)
  expect(await after.find('s-8')).toEqual([found('s-8')])
  expect(await after.find('s-7')).toEqual([{ ...found('s-7'), isRemoved: true }])
  expect(await after.register({ key: key('new'), home: 'here' })).toBe('elsewhere')
  const expected = ['asks', ...names.toReversed().filter((id) => id !== 's-7')].slice(0, 50)
  expect(await ids(after)).toEqual(expected)
  expect((await after.approvals({})).approvals.map((asked) => asked.approval.id)).toEqual(['x'])
  // A late update to the old objects changes nothing.
  await of(before).update([told('late', 5_000)])
  for (const instance of [objects, objects.again()]) {
    expect(await ids(tenantDirectory(instance, { count, previousCounts: [before] }, 'acme'))).toEqual(expected)
    expect(instance.asked.length).toBe(count)
  }
})

test('[CF16] back to a number that there was before: what changed meanwhile is taken over too', async () => {
  const now = (count: number, ...before: number[]) =>
    tenantDirectory(objects.again(), { count, previousCounts: before }, 'acme')
  await now(1).update(['a', 'b', 'c'].map((id, n) => told(id, n)))
  expect(await ids(now(3, 1))).toEqual(['c', 'b', 'a'])
  await now(3, 1).update([told('d', 4), { ...told('a', 0), row: null }])
  expect(await ids(now(1, 3))).toEqual(['d', 'c', 'b'])
  await now(1, 3).update([told('e', 5), { ...told('b', 1), row: null }])
  const back = now(3, 1)
  expect(await ids(back)).toEqual(['e', 'd', 'c'])
  expect([await back.find('b'), await back.find('e')]).toEqual([[{ ...found('b'), isRemoved: true }], [found('e')]])
  // An instance of before that starts late takes nothing back.
  expect(await ids(now(1, 3))).toEqual(['e', 'd', 'c'])
})

test('[CF16] a tenant that nobody asked for while there was another number is found by those before it', async () => {
  await of(1).update([told('a', 1), told('b', 2), told('c', 3), told('d', 4)])
  // The update reaches one of the three objects: the others have nothing to hand on.
  const three = of(3, 1)
  await three.update([{ ...told('a', 9), head: 5 }])
  const rows = (await of(2, 1, 3).list({})).sessions.map(({ key: { id }, head }) => [id, head])
  expect(rows).toEqual([
    ['a', 5],
    ['d', 3],
    ['c', 3],
    ['b', 3],
  ])
  await of(2, 1, 3).update([{ ...told('b', 2), row: null }])
  expect(await ids(of(4, 1, 3, 2))).toEqual(['a', 'd', 'c'])
})

test('[CF5] a row that is told after its session was removed, and is from before, changes nothing', async () => {
  await of(1).update([told('a', 1)])
  await of(1).update([{ ...told('a', 1), row: null }])
  await of(1).update([told('a', 2)])
  expect([await ids(of(1)), await of(1).find('a')]).toEqual([[], [{ ...found('a'), isRemoved: true }]])
  await of(1).update([{ ...told('a', 3), head: 5 }])
  expect(await ids(of(1))).toEqual(['a'])
})

test('[CF16] what a session told the new objects first is newer than what they take over', async () => {
  await of(1).update([told('a', 1)])
  await of(2).update([{ ...told('a', 9), head: 5 }])
  expect((await of(2, 1).list({})).sessions.map(({ head, row: { updatedAt } }) => [head, updatedAt])).toEqual([[5, 9]])
})

test('[CF16] back to a number that was: what was told meanwhile is taken over too', async () => {
  await of(1).update([told('a', 1), told('b', 2)])
  expect(await ids(of(2, 1))).toEqual(['b', 'a'])
  objects = objects.again()
  expect(await ids(of(1, 2))).toEqual(['b', 'a'])
  await of(1, 2).update([told('c', 3), { ...told('a', 1), head: 4, row: null }])
  objects = objects.again()
  expect(await ids(of(2, 1))).toEqual(['c', 'b'])
})

test('[CF5] a session that was removed does not come back by what was told before, and may be made again', async () => {
  await of(1).update([told('a', 1)])
  await of(1).update([{ ...told('a', 1), row: null }])
  await of(1).update([told('a', 1)])
  expect([await ids(of(1)), await of(1).find('a')]).toMatchObject([[], [{ isRemoved: true }]])
  await of(1).update([{ ...told('a', 2), head: 4 }])
  expect(await ids(of(1))).toEqual(['a'])
})

test('[CF5] what is known already writes nothing; a row that changed without a new event is taken', async () => {
  const driver = objects.driver('acme')
  const index = new DirectoryIndex(driver)
  await index.tell([told('a', 1)])
  const changes = () => driver.get<{ n: number }>('SELECT total_changes() AS n')?.n
  const before = changes()
  await index.tell([structuredClone(told('a', 1))])
  expect(changes()).toBe(before)
  await index.tell([told('a', 2)])
  expect((await of(1).list({})).sessions[0]?.row.updatedAt).toBe(2)
})

test('[CF16] a tenant that nobody has heard of leaves nothing behind', async () => {
  expect(await ids(of(2, 1))).toEqual([])
  expect([0, 1].map((index) => objects.driver(shardName('acme', index, 2)).isBlank())).toEqual([true, true])
})
