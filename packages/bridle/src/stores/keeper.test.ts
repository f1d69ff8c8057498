// Faults of the disk, and what a commit touches: through a driver that misbehaves on request.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Driver } from './driver.ts'
import { tailLimits } from './folder.ts'
import { type NodeDriver, nodeDriver } from './node-driver.ts'
import { bumpEpoch, migrate } from './schema.ts'
import { type SqliteStore, sqliteStore } from './sqlite.ts'
import { event, events, expectFault, key, range, row, seqs, started } from './store.suite.ts'

let folder: string
let real: NodeDriver
let store: SqliteStore
let statements: string[]
let transactions: number
let reopened: number
let fail: 'never' | 'before commit' | 'after commit'

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-'))
  real = nodeDriver(join(folder, 'test.sqlite'))
  migrate(real)
  statements = []
  transactions = reopened = 0
  fail = 'never'
  const ioError = () => Object.assign(new Error('disk I/O error'), { errcode: 1034 })
  const driver: Driver = {
    ...real,
    run(sql, ...values) {
      statements.push(sql)
      real.run(sql, ...values)
    },
    transaction(work) {
      transactions++
      const result = real.transaction(() => {
        const done = work()
        if (fail === 'before commit') throw ioError()
        return done
      })
      if (fail === 'after commit') throw ioError()
      return result
    },
    reopen() {
      reopened++
      fail = 'never'
      real.reopen()
    },
  }
  store = sqliteStore(driver, bumpEpoch(real), tailLimits)
})
afterEach(() => {
  store.close()
  real.close()
  rmSync(folder, { recursive: true })
})

test('a failed sync: nobody is told yes, and the handle is replaced before anything else', async () => {
  const [a, b] = [await started(store, key('a'), 1), await started(store, key('b'), 1)]
  fail = 'after commit'
  const group = [store.log.append(a, { events: [event(2)] }), store.log.append(b, { events: [event(2)] })]
  await Promise.all(group.map((one) => expectFault(one, 'outcome_unknown')))
  // This time the events did reach the disk. Whoever drops the session and opens it again sees so.
  expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1, 2])
  expect(reopened).toBe(1)
  const again = (await store.log.open(key('a')))!
  expect(again.head).toBe(2)
  await expectFault(store.log.append(again, { events: [event(2)] }), 'refused')
  await store.log.append(again, { events: [event(3)] })
})

test('the same, where nothing reached the disk', async () => {
  const lease = await started(store, key('a'), 1)
  fail = 'before commit'
  await expectFault(store.log.append(lease, { events: [event(2)] }), 'outcome_unknown')
  await store.log.append(lease, { events: [event(2, 'again')] })
  expect(await store.log.read(key('a'), 1, 9)).toEqual([event(2, 'again')])
  expect(reopened).toBe(1)
})

test('a full disk: no acknowledgement, nothing written, and it goes on when there is room', async () => {
  const lease = await started(store, key('a'), 1)
  const small = await started(store, key('b'), 1)
  const { page_count } = real.get<{ page_count: number }>('PRAGMA page_count')!
  real.get(`PRAGMA max_page_count = ${page_count + 20}`)
  const large = { events: [event(2, 'x'.repeat(400_000))], row: row({ title: 'large' }) }
  await Promise.all([
    expectFault(store.log.append(lease, large), 'full'),
    store.log.append(small, { events: [event(2)] }),
  ])
  expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1])
  expect(seqs(await store.log.read(key('b'), 0, 9))).toEqual([1, 2])
  expect((await store.directory.list('acme', { search: 'large' })).sessions).toEqual([])
  expect(reopened).toBe(0)
  real.get('PRAGMA max_page_count = 100000')
  await store.log.append(lease, large)
  expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1, 2])
})

test('a disk too full to settle the tail still serves what it has, and settles later', async () => {
  const lease = await started(store, key('a'), 1)
  real.get(`PRAGMA max_page_count = ${real.get<{ page_count: number }>('PRAGMA page_count')!.page_count + 60}`)
  let head = 1
  for (; head < 5000; head++) {
    const full = await store.log.append(lease, { events: [event(head + 1)] }).then(
      () => false,
      ({ code }: { code: string }) => code === 'full',
    )
    if (full) break
  }
  expect(head).toBeLessThan(5000)
  expect(seqs(await store.log.read(key('a'), 0, 9999))).toEqual(range(1, head))
  real.get('PRAGMA max_page_count = 100000')
  for (const seq of range(head + 1, head + 2000)) await store.log.append(lease, { events: [event(seq)] })
  expect(seqs(await store.log.read(key('a'), 0, 9999))).toEqual(range(1, head + 2000))
})

describe('what a commit costs', () => {
  test('events alone touch one table', async () => {
    const lease = await started(store, key('a'), 1)
    statements.length = 0
    await store.log.append(lease, { events: events(2, 4) })
    expect(statements.map((sql) => sql.split(' ').slice(0, 3).join(' '))).toEqual(['INSERT INTO tail'])
  })

  test('appends of one turn share a commit, whatever becomes of some of them', async () => {
    const leases = await Promise.all(range(1, 100).map((n) => started(store, key(`s${n}`), 1)))
    await new Promise((resolve) => setTimeout(resolve, 5))
    transactions = 0
    const outcomes = await Promise.allSettled(
      leases.map((lease, n) => store.log.append(lease, { events: [event(n === 7 ? 9 : 2)] })),
    )
    expect(transactions).toBe(1)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })

  test('nothing is acknowledged in the turn that asked', async () => {
    const lease = await started(store, key('a'), 1)
    let acknowledged = false
    const done = store.log.append(lease, { events: [event(2)] }).then(() => {
      acknowledged = true
    })
    await Promise.resolve()
    expect([acknowledged, seqs(await store.log.read(key('a'), 0, 9))]).toEqual([false, [1]])
    await done
  })
})

test("a Durable Object's limits hold here too", () => {
  const values = new Array(101).fill(1)
  expect(() => real.get(`SELECT ${values.map(() => '?').join(',')}`, ...values)).toThrow('101 parameters')
  expect(() => real.get('SELECT length(?)', 'x'.repeat(1_900_001))).toThrow('1900001 bytes')
  expect(real.get('SELECT length(?) AS n', 'x'.repeat(1_899_999))).toEqual({ n: 1_899_999 })
})
