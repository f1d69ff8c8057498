import { DatabaseSync } from 'node:sqlite'
import type { Key } from '@bridle/kernel/event'
import { expect, test } from 'vitest'
import { sessionObjectMigrations } from '../object/object-schema.ts'
import { ClaimedUploads } from './claimed-uploads.ts'

const key = (id = 's1', agent = 'a'): Key => ({ tenant: 't', agent, id })

/** The uploads of one object; `releaseFaults` releases fail first. */
const setUp = (releaseFaults = 0) => {
  let failing = releaseFaults
  const calls: unknown[] = []
  const retries: (number | null)[] = []
  const database = new DatabaseSync(':memory:')
  for (const sql of sessionObjectMigrations.flat()) database.exec(sql)
  const driver = {
    run: (sql: string, ...values: string[]) => void database.prepare(sql).run(...values),
    get: (sql: string, ...values: string[]) => database.prepare(sql).get(...values),
    all: (sql: string, ...values: string[]) => database.prepare(sql).all(...values),
  }
  const remote = {
    claim: async (id: string, session: Key) => {
      calls.push(['claim', id, session.id])
      return id !== 'unknown'
    },
    release: async (ids: readonly string[], session: Key) => {
      if (failing-- > 0) throw new Error('The object is away.')
      // A row that is never released would keep this loop alive for ever.
      if (ids.length === 0) throw new Error('Nothing is released.')
      calls.push(['release', ids, session.id])
    },
  }
  const uploads = new ClaimedUploads({
    ...{ driver: driver as never, remote: remote as never, now: () => 0 },
    sync: async () => void calls.push('sync'),
    retry: (at) => void retries.push(at),
  })
  const rows = () => database.prepare('SELECT id FROM claimed_uploads').all().length
  return { uploads, calls, retries, rows }
}

test('a file is written down before it is claimed, and its session may claim it again', async () => {
  const { uploads, calls } = setUp()
  expect([await uploads.claim('f1', key()), await uploads.claim('f1', key())]).toEqual([true, true])
  expect(calls).toEqual(['sync', ['claim', 'f1', 's1'], ['claim', 'f1', 's1']])
})

test.each([
  ['session', key('s2')],
  ['agent', key('s1', 'b')],
  ['tenant', { ...key(), tenant: 'u' }],
])('a file of another %s is not claimed', async (_name, other) => {
  const { uploads, calls } = setUp()
  await uploads.claim('f1', key())
  calls.length = 0
  expect([await uploads.claim('f1', other), calls]).toEqual([false, []])
})

test('a file that does not exist leaves nothing behind', async () => {
  const { uploads, rows } = setUp()
  expect([await uploads.claim('unknown', key()), rows()]).toEqual([false, 0])
})

test('the files of removed sessions are released, session by session', async () => {
  const { uploads, calls, retries, rows } = setUp()
  for (const [id, session] of Object.entries({ f1: 's1', f2: 's2', f3: 's1', f4: 'stays' }))
    await uploads.claim(id, key(session))
  calls.length = 0
  uploads.release(key('s1'))
  uploads.release(key('s2'))
  expect(await uploads.claim('f1', key('s1'))).toBe(false)
  await uploads.cleanUp()
  expect(calls).toEqual([
    ['release', ['f1', 'f3'], 's1'],
    ['release', ['f2'], 's2'],
  ])
  expect([retries.at(-1), rows()]).toEqual([null, 1])
})

test('a release that fails is retried by the alarm', async () => {
  const { uploads, calls, retries, rows } = setUp(1)
  await uploads.claim('f1', key())
  uploads.release(key())
  await uploads.cleanUp()
  expect([retries.at(-1), rows()]).toEqual([expect.any(Number), 1])
  await uploads.cleanUp()
  expect([retries.at(-1), rows(), calls.at(-1)]).toEqual([null, 0, ['release', ['f1'], 's1']])
})
