// Faults of the disk, and what a commit touches: through a driver that misbehaves on request.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Lease } from '@bridle/kernel/ports/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { event, events, expectFault, key, range, row, seqs, startSession } from '../contract/store.suite.ts'
import { openSqlite, tailLimits } from '../data-folder.ts'
import type { SqlDriver } from '../drivers/driver.ts'
import { type NodeDriver, nodeDriver } from '../drivers/node-driver.ts'
import { bumpEpoch, migrate } from './schema.ts'
import { type SqliteStore, sqliteStore } from './sqlite-store.ts'

let folder: string
let real: NodeDriver
let store: SqliteStore
let statements: string[]
let transactions: number
let recoveries: number
/** How many attempts to recover fail first. */
let failedRecoveries: number
let fail: 'never' | 'before commit' | 'after commit' | 'full'

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-'))
  real = nodeDriver(join(folder, 'test.sqlite'))
  migrate(real)
  statements = []
  transactions = recoveries = failedRecoveries = 0
  fail = 'never'
  const ioError = () => Object.assign(new Error('disk I/O error'), { errcode: 1034 })
  const driver: SqlDriver = {
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
        if (fail === 'full') throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
        return done
      })
      if (fail === 'after commit') throw ioError()
      return result
    },
    recover() {
      recoveries++
      if (failedRecoveries-- > 0) throw ioError()
      fail = 'never'
      real.recover()
    },
  }
  store = sqliteStore(driver, bumpEpoch(real), tailLimits)
})
afterEach(() => {
  store.close()
  real.close()
  rmSync(folder, { recursive: true })
})

test('a failed sync: nobody is told yes, and the log is emptied before anything else', async () => {
  const [a, b] = [await startSession(store, key('a'), 1), await startSession(store, key('b'), 1)]
  fail = 'after commit'
  const group = [store.log.append(a, { events: [event(2)] }), store.log.append(b, { events: [event(2)] })]
  await Promise.all(group.map((one) => expectFault(one, 'outcome_unknown')))
  // This time the events did reach the disk. Opening the session again shows them.
  expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1, 2])
  expect(recoveries).toBe(1)
  const again = (await store.log.open(key('a')))!
  expect(again.head).toBe(2)
  await expectFault(store.log.append(again, { events: [event(2)] }), 'refused')
  await store.log.append(again, { events: [event(3)] })
})

test('the same, where nothing reached the disk', async () => {
  const lease = await startSession(store, key('a'), 1)
  fail = 'before commit'
  await expectFault(store.log.append(lease, { events: [event(2)] }), 'outcome_unknown')
  await store.log.append(lease, { events: [event(2, 'again')] })
  expect(await store.log.read(key('a'), 1, 9)).toEqual([event(2, 'again')])
  expect(recoveries).toBe(1)
})

describe('[O28] after a failed sync', () => {
  const file = () => join(folder, 'test.sqlite')
  const walBytes = () => statSync(`${file()}-wal`).size

  test('nothing is read or written until the log has been emptied, however often that fails', async () => {
    const leases = []
    for (const id of ['a', 'b', 'c']) leases.push(await startSession(store, key(id), 2))
    const [a, b, c] = leases as [Lease, Lease, Lease]
    expect(store.writeFault()).toBe(null)
    failedRecoveries = 4
    fail = 'before commit'
    await Promise.all(
      [a, b].map((lease) => expectFault(store.log.append(lease, { events: [event(3)] }), 'outcome_unknown')),
    )
    transactions = 0
    statements.length = 0
    await expectFault(store.log.append(c, { events: [event(3)] }), 'unsynced')
    await expectFault(store.log.read(key('a'), 0, 9), 'unsynced')
    await expectFault(store.directory.list('acme', {}), 'unsynced')
    expect(store.writeFault()).toMatchObject({ code: 'unsynced' })
    expect([recoveries, transactions, statements]).toEqual([4, 0, []])
    expect(store.writeFault()).toBe(null)
    expect([recoveries, walBytes()]).toEqual([5, 0])
    for (const id of ['c', 'a', 'b']) {
      const again = (await store.log.open(key(id)))!
      expect(again.head).toBe(2)
      await store.log.append(again, { events: [event(3, 'again')] })
    }
    expect(recoveries).toBe(5)
  })

  test('a power cut takes back nothing that was acknowledged later', async () => {
    // A second handle keeps SQLite from emptying the log when the first is closed, as a second failed sync does.
    const other = new DatabaseSync(file())
    other.prepare('SELECT count(*) FROM meta').get()
    const [a, b, c] = [
      await startSession(store, key('a'), 2),
      await startSession(store, key('b'), 2),
      await startSession(store, key('c'), 2),
    ]
    const hole = { from: walBytes(), to: 0 }
    // The commit is in the log for everybody who reads the file; the disk never got it.
    fail = 'after commit'
    failedRecoveries = 1
    await expectFault(store.log.append(a, { events: [event(3)] }), 'outcome_unknown')
    hole.to = walBytes()
    const salt = () => readFileSync(`${file()}-wal`).subarray(16, 24).toString('hex')
    const before = salt()
    await expectFault(store.log.append(b, { events: [event(3)] }), 'unsynced')
    const acknowledged: [string, number][] = []
    for (const lease of [b, c, (await store.log.open(key('a')))!]) {
      const { head } = (await store.log.open(lease.key))!
      await store.log.append(lease, { events: [event(head + 1)] })
      acknowledged.push([lease.key.id, head + 1])
    }
    const disk = join(folder, 'disk')
    await (await openSqlite(disk)).close()
    copyFileSync(file(), join(disk, 'bridle.sqlite'))
    const wal = readFileSync(`${file()}-wal`)
    if (salt() === before) wal.fill(0, hole.from, hole.to)
    writeFileSync(join(disk, 'bridle.sqlite-wal'), wal)
    other.close()
    const next = await openSqlite(disk)
    const heads = []
    for (const [id] of acknowledged) heads.push([id, (await next.log.open(key(id)))!.head])
    expect(heads).toEqual(acknowledged)
    await next.close()
  })

  test('a program that reads the database keeps it closed until it is done', async () => {
    const lease = await startSession(store, key('a'), 2)
    const reader = new DatabaseSync(file())
    reader.exec('BEGIN; SELECT count(*) FROM meta')
    fail = 'before commit'
    await expectFault(store.log.append(lease, { events: [event(3)] }), 'outcome_unknown')
    await expectFault(store.log.append(lease, { events: [event(3)] }), 'unsynced')
    expect(store.writeFault()).toMatchObject({ code: 'unsynced' })
    reader.close()
    await expect.poll(() => store.writeFault()).toBe(null)
    await store.log.append(lease, { events: [event(3)] })
    expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1, 2, 3])
  })
})

test('[O30] a full disk is named until a write succeeds, and reading goes on', async () => {
  const leases = []
  for (const id of ['a', 'b', 'c']) leases.push(await startSession(store, key(id), 1))
  expect(store.writeFault()).toBe(null)
  fail = 'full'
  await Promise.all(leases.map((lease) => expectFault(store.log.append(lease, { events: [event(2)] }), 'full')))
  expect([store.writeFault()?.code, store.writeFault()?.code]).toEqual(['full', 'full'])
  for (const { key: at } of leases) expect(seqs(await store.log.read(at, 0, 9))).toEqual([1])
  fail = 'never'
  // The probe writes without a caller that tries first.
  expect(store.writeFault()).toBe(null)
  fail = 'full'
  await expectFault(store.log.append(leases[0]!, { events: [event(2)] }), 'full')
  fail = 'never'
  await store.log.append(leases[1]!, { events: [event(2)] })
  expect(store.writeFault()).toBe(null)
})

test('[O29] a store whose data another process took over shows and writes nothing more', async () => {
  const leases = []
  for (const id of ['a', 'b', 'c']) leases.push(await startSession(store, key(id), 2))
  store.log.check?.()
  const other = new DatabaseSync(join(folder, 'test.sqlite'))
  other.exec("UPDATE meta SET value = value + 1 WHERE name = 'epoch'")
  expect(store.writeFault()).toMatchObject({ code: 'fenced' })
  expect(() => store.log.check?.()).toThrow('another process')
  for (const lease of leases) {
    await expectFault(store.log.read(lease.key, 0, 9), 'fenced')
    await expectFault(store.log.append(lease, { events: [event(3)] }), 'fenced')
    await expectFault(store.directory.find('acme', lease.key.id), 'fenced')
  }
  other.close()
})

test('a full disk: no acknowledgement, nothing written, and it goes on when there is room', async () => {
  const lease = await startSession(store, key('a'), 1)
  const small = await startSession(store, key('b'), 1)
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
  expect(recoveries).toBe(0)
  real.get('PRAGMA max_page_count = 100000')
  await store.log.append(lease, large)
  expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1, 2])
})

test('a disk too full to settle the tail still serves what it has, and settles later', async () => {
  const lease = await startSession(store, key('a'), 1)
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
    const lease = await startSession(store, key('a'), 1)
    statements.length = 0
    await store.log.append(lease, { events: events(2, 4) })
    expect(statements.map((sql) => sql.split(' ').slice(0, 3).join(' '))).toEqual(['INSERT INTO tail'])
  })

  test('appends of one turn share a commit, whatever becomes of some of them', async () => {
    const leases = await Promise.all(range(1, 100).map((n) => startSession(store, key(`s${n}`), 1)))
    await new Promise((resolve) => setTimeout(resolve, 5))
    transactions = 0
    const outcomes = await Promise.allSettled(
      leases.map((lease, n) => store.log.append(lease, { events: [event(n === 7 ? 9 : 2)] })),
    )
    expect(transactions).toBe(1)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })

  test('nothing is acknowledged in the turn that asked', async () => {
    const lease = await startSession(store, key('a'), 1)
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
