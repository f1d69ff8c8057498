// The reference that the log keeps in place of a large text, and the cost of a page of references.
import { DatabaseSync } from 'node:sqlite'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { expect, test } from 'vitest'
import { event, expectFault, key, row, seqs } from '../contract/store.suite.ts'
import { ArtifactBucket, INLINE_CONTENT_MAX } from './artifact-bucket.ts'
import { BucketNames } from './bucket-names.ts'
import { sessionObjectMigrations } from './object-schema.ts'
import type { ObjectBucket } from './platform-types.ts'

const chunk = (seq: number, chars: number) =>
  event(seq, { artifact_id: 'art-1', index: 0, text: String(seq % 10).repeat(chars) }, 'artifact_chunk')

const made = (putFaults = 0) => {
  let failing = putFaults
  const kept = new Map<string, string>()
  const calls: string[] = []
  const bucket: ObjectBucket = {
    put: async (name, text) => {
      calls.push('put')
      if (failing-- > 0) throw new Error('internal error (10001)')
      kept.set(name, String(text))
    },
    get: async (name) => {
      calls.push('get')
      const text = kept.get(name)
      return text === undefined ? null : { text: async () => text, arrayBuffer: async () => new ArrayBuffer(0) }
    },
    delete: async (names) => {
      if (failing-- > 0) throw new Error('internal error (10001)')
      for (const name of names) kept.delete(name)
    },
  }
  const database = new DatabaseSync(':memory:')
  for (const sql of sessionObjectMigrations.flat()) database.exec(sql)
  const driver = {
    run: (sql: string, ...values: string[]) => void database.prepare(sql).run(...values),
    get: (sql: string, ...values: string[]) => database.prepare(sql).get(...values),
    all: (sql: string, ...values: string[]) => database.prepare(sql).all(...values),
  }
  database.exec('CREATE TABLE sessions (sid, tenant, agent, id, parent_sid, removed); CREATE TABLE log (body)')
  const retries: (number | null)[] = []
  const names = new BucketNames({
    ...{ driver: driver as never, bucket, now: () => 0, retry: (at: number | null) => void retries.push(at) },
    sync: async () => void calls.push('sync'),
  })
  const { log } = memoryStore()
  return { artifacts: new ArtifactBucket(bucket, names), bucket, names, database, retries, log, kept, calls }
}

test('[CF15] written down, put, and only then for the log to keep: a reference beside the payload', async () => {
  const { artifacts, kept, calls } = made()
  const small = chunk(1, INLINE_CONTENT_MAX)
  const odd = event(3, { text: 7 }, 'artifact_chunk')
  const { append, names } = await artifacts.storeLargeChunks(key('a'), {
    events: [small, odd, chunk(2, INLINE_CONTENT_MAX + 1)],
  })
  expect(calls).toEqual(['sync', 'put'])
  expect([...kept.keys()]).toEqual(names)
  expect(append.events).toEqual([
    small,
    odd,
    {
      ...chunk(2, 0),
      stored: { name: names[0], chars: INLINE_CONTENT_MAX + 3, sum: expect.stringMatching(/^[0-9a-f]{14}$/) },
    },
  ])
})

test('[CF15] the same bytes twice are two objects: nobody finds one by what it holds', async () => {
  const { artifacts, kept } = made()
  for (const seq of [1, 2]) await artifacts.storeLargeChunks(key('a'), { events: [chunk(seq, 70_000)] })
  expect(kept.size).toBe(2)
})

test('[CF15] a put that fails once is tried again; one that goes on failing is a fault of the store', async () => {
  await made(2).artifacts.storeLargeChunks(key('a'), { events: [chunk(1, 70_000)] })
  await expectFault(made(3).artifacts.storeLargeChunks(key('a'), { events: [chunk(1, 70_000)] }), 'unreachable')
})

test('[CF15] of several, none is given up while another is still on its way', async () => {
  const { artifacts, bucket, retries } = made()
  const gate = Promise.withResolvers<void>()
  let puts = 0
  bucket.put = () => (puts++ === 0 ? gate.promise : Promise.reject(new Error('internal error (10001)')))
  const stowed = artifacts.storeLargeChunks(key('a'), { events: [chunk(1, 70_000), chunk(2, 70_000)] })
  await expect.poll(() => puts).toBe(4)
  expect(retries).toEqual([])
  gate.resolve()
  await expectFault(stowed, 'unreachable')
  expect(retries).toEqual([30_000])
})

test('[CF15] what came to nothing is deleted, and tried again by the alarm until it is', async () => {
  const { artifacts, names, database, retries, kept } = made(1)
  const stow = (seq: number) => artifacts.storeLargeChunks(key('a'), { events: [chunk(seq, 70_000)] })
  const [refused, unsure, under] = [await stow(1), await stow(2), await stow(3)]
  // The outcome of the append was unknown; it was written.
  database.prepare('INSERT INTO log (body) VALUES (?)').run(JSON.stringify(unsure.append.events))
  names.release(refused.names)
  names.release(unsure.names)
  expect(retries).toEqual([30_000, 30_000])
  await names.cleanUp()
  expect([retries.at(-1), kept.size]).toEqual([null, 2])
  expect([...kept.keys()]).toEqual([...unsure.names, ...under.names])
})

test('[CF15] a page counts what it fetches, and fetches nothing for those who do not look', async () => {
  const { artifacts, log, kept, calls } = made()
  const given = [1, 2, 3, 4, 5].map((seq) => chunk(seq, 100_000))
  const lease = (await log.open(key('a')))!
  const { append } = await artifacts.storeLargeChunks(key('a'), { events: given, row: row() })
  await log.append(lease, append)
  const read = artifacts.reader(log)
  calls.length = 0
  expect(seqs(await read(key('a'), 0, 9, { charsMax: 250_000, withoutContent: true }))).toEqual([1, 2, 3, 4, 5])
  expect(calls).toEqual([])
  expect(await read(key('a'), 0, 9, { charsMax: 250_000 })).toEqual(given.slice(0, 3))
  expect(calls).toEqual(['get', 'get', 'get'])
  expect(await read(key('a'), 3, 9, { charsMax: 1 })).toEqual(given.slice(3, 4))
  expect(await read(key('a'), 0, 9)).toEqual(given)
  const [first = ''] = kept.keys()
  kept.set(first, '"another text"')
  await expectFault(read(key('a'), 0, 9), 'content_gone')
  expect(await read(key('a'), 1, 9)).toEqual(given.slice(1))
})
