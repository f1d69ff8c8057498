// Lists of many rows: which index serves them, what else runs meanwhile, and where a page ends that found too little.

import { DatabaseSync } from 'node:sqlite'
import type { ListFilter, ListReader } from '@bridle/kernel/ports/directory'
import { expect, test } from 'vitest'
import { expectFault, healthy, row } from '../contract/store.suite.ts'
import type { SqlValue } from '../drivers/driver.ts'
import { objectDriver } from '../object/object-driver.ts'
import { directoryObjectMigrations, sessionObjectMigrations } from '../object/object-schema.ts'
import { memoryObjectStorage } from '../object/object-storage.suite.ts'
import { type DirectoryStub, remoteDirectory } from '../object/remote-directory.ts'
import { DirectoryIndex } from '../object/session-index.ts'
import { LONG_LISTS_MAX, sliceTurns, WAITING_LISTS_MAX } from './slice-turns.ts'
import { SLICE_ROWS, SLICES_MAX } from './sqlite-directory.ts'
import { sqliteStore } from './sqlite-store.ts'
import { noTail } from './tail.ts'

const ROW = JSON.stringify(row({ detail: { health: { ...healthy, flags: ['slow'] } } }))

/** Sessions s1 to s<count>: s<n> changed at n, belongs to user u<n % users>, and is running where n is a multiple of 1,000. */
const fill = (database: DatabaseSync, count: number, users = 100, tenant = 'acme') =>
  database
    .prepare(
      `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?)
       INSERT INTO sessions (tenant, agent, id, base, kind, status, updated_at, search, row, owner)
       SELECT ?, 'scripted', 's' || n, 0, 'chat', iif(n % 1000 = 0, 'running', 'idle'), n, 's' || n, ?, 'user:u' || (n % CAST(? AS INTEGER)) FROM c`,
    )
    .run(count, tenant, ROW, users)

const ONE_OBJECT = { count: 1, previousCounts: [] }

/** A store with its statements, and a count of its pauses. */
const openStore = (count: number, slicesMax = SLICES_MAX) => {
  const database = new DatabaseSync(':memory:')
  const inner = objectDriver(memoryObjectStorage(database), sessionObjectMigrations)
  const ran: { sql: string; values: SqlValue[] }[] = []
  const note = (sql: string, values: SqlValue[]) => {
    if (/INDEXED BY sessions_(?!key|name)|approvals AS a/.test(sql)) ran.push({ sql, values })
  }
  const seen = { pauses: 0 }
  const driver = {
    ...inner,
    all: <Row>(sql: string, ...values: SqlValue[]) => {
      note(sql, values)
      return inner.all<Row>(sql, ...values)
    },
    get: <Row>(sql: string, ...values: SqlValue[]) => {
      note(sql, values)
      return inner.get<Row>(sql, ...values)
    },
    pause: () => {
      seen.pauses += 1
      return new Promise<void>((resolve) => setImmediate(resolve))
    },
  }
  inner.run("INSERT INTO meta (name, value) VALUES ('filled', 1)")
  fill(database, count)
  const index = new DirectoryIndex(driver, null, slicesMax)
  const directory =
    slicesMax === SLICES_MAX
      ? sqliteStore(driver, driver.epoch, noTail).directory
      : remoteDirectory({ idFromName: String, get: () => index as unknown as DirectoryStub }, ONE_OBJECT)
  const plan = () =>
    ran.flatMap(({ sql, values }) =>
      (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]).map(
        ({ detail }) => detail,
      ),
    )
  const ids = async (filter: ListFilter, reader?: ListReader) => {
    const { sessions, next } = await directory.list('acme', filter, reader)
    return { ids: sessions.map((session) => session.key.id), next }
  }
  return { directory, database, ran, plan, ids, seen }
}

test.each<[string, ListFilter, RegExp]>([
  ['a user', { viewer: 'user:u7', archived: false, limit: 3 }, /sessions_owner \(tenant=\? AND owner=\?/],
  ['a status', { status: 'running', archived: false, limit: 3 }, /sessions_status \(tenant=\? AND status=\?/],
  ['a parent', { parentId: 's1', limit: 3 }, /sessions_hanging \(tenant=\? AND hangs_from=\?/],
  [
    'a parent, oldest first',
    { parentId: 's1', order: 'created', limit: 3 },
    /sessions_children \(tenant=\? AND hangs_from=\?/,
  ],
  ['all', { limit: 3 }, /sessions_recent \(tenant=\?/],
  ['all, oldest first', { order: 'created', limit: 3 }, /sessions_created \(tenant=\?/],
])('[H175] the list of %s is read by its index, in its order', async (_name, filter, index) => {
  const { directory, ran, plan } = openStore(50)
  ran.length = 0
  await directory.list('acme', filter)
  const details = plan()
  expect(details.filter((detail) => index.test(detail)).length).toBeGreaterThan(0)
  // A sort of the rows that are shown is all that is left to do.
  expect(details.filter((detail) => detail.startsWith('SCAN') && !/^SCAN (k|CONSTANT ROW)\b/.test(detail))).toEqual([])
})

test('[H175] the page of a user merges what belongs to nobody with what is theirs, and reads no more rows than it shows', async () => {
  const { ids, seen, database } = openStore(3 * SLICE_ROWS)
  database.exec('UPDATE sessions SET owner = NULL WHERE sid % 1500 = 0')
  expect(await ids({ viewer: 'user:u7', limit: 4 })).toEqual({
    ids: ['s6000', 's5907', 's5807', 's5707'],
    next: '5707.5707',
  })
  expect(await ids({ viewer: 'user:u7', limit: 2, cursor: '4507.4507' })).toEqual({
    ids: ['s4500', 's4407'],
    next: '4407.4407',
  })
  expect(await ids({ viewer: 'user:nobody', limit: 9 })).toEqual({
    ids: ['s6000', 's4500', 's3000', 's1500'],
    next: undefined,
  })
  // A turn for each list.
  expect(seen.pauses).toBeLessThanOrEqual(6)
})

test.each<[string, ListFilter]>([
  ['search', { search: 'zzzz' }],
  ['flag', { flag: 'stuck' }],
  ['agent', { agent: 'other', order: 'created' }],
])('[H175] a list by %s that finds nothing gives others a turn after each slice', async (_name, filter) => {
  const { ids, ran } = openStore(4 * SLICE_ROWS)
  const turns: number[] = []
  let isOver = false
  const other = (async () => {
    while (!isOver) {
      turns.push(ran.length)
      await new Promise(setImmediate)
    }
  })()
  ran.length = 0
  expect(await ids(filter)).toEqual({ ids: [], next: undefined })
  isOver = true
  await other
  // Two statements for each of five slices, of which the last is empty: the other work saw each slice end.
  expect(ran.length).toBe(10)
  expect(turns).toEqual(expect.arrayContaining([2, 4, 6, 8]))
})

test('[H175] a short list does not wait for all slices of long ones', async () => {
  const { ids } = openStore(20 * SLICE_ROWS)
  const ended: string[] = []
  const note = (name: string) => () => ended.push(name)
  const long = ['a', 'b', 'c'].map((who) => ids({ search: 'zzzz' }, { who }).then(note('long')))
  const short = ['a', 'b', 'c'].map((who) => ids({ limit: 1, archived: false }, { who }).then(note('short')))
  await Promise.all([...long, ...short])
  expect(ended).toEqual(['short', 'short', 'short', 'long', 'long', 'long'])
})

test('[H176] a reader has two long lists at once: the next wait, each in its turn, and one too many is refused', async () => {
  const turns = sliceTurns(() => new Promise((resolve) => setImmediate(resolve)))
  const active = new Set<string>()
  const most = new Map<string, number>()
  let isHeld = true
  const list = async (who: string, name: string) => {
    let slices = 0
    await turns.read({ who }, () => {
      slices += 1
      if (slices > 1) active.add(name)
      most.set(who, Math.max(most.get(who) ?? 0, [...active].filter((each) => each.startsWith(who)).length))
      return slices > 3 && !isHeld && active.delete(name)
    })
  }
  const allowed = LONG_LISTS_MAX + WAITING_LISTS_MAX
  const lists = ['ann', 'bob', 'cy'].flatMap((who) =>
    Array.from({ length: allowed + 1 }, (_, n) =>
      list(who, `${who} ${n}`).then(
        () => 'ended',
        ({ code }) => String(code),
      ),
    ),
  )
  while (active.size < 3 * LONG_LISTS_MAX) await new Promise(setImmediate)
  const refused = await Promise.all(lists.filter((_, n) => n % (allowed + 1) === allowed))
  expect(refused).toEqual(['busy', 'busy', 'busy'])
  isHeld = false
  const answers = await Promise.all(lists)
  expect(answers.filter((answer) => answer === 'ended')).toHaveLength(3 * allowed)
  expect(Object.fromEntries(most)).toEqual({ ann: LONG_LISTS_MAX, bob: LONG_LISTS_MAX, cy: LONG_LISTS_MAX })
  // All places are free again.
  expect(await list('ann', 'ann again')).toBeUndefined()
})

test('[H176] a list whose reader has gone is not read to its end', async () => {
  const { ids, ran } = openStore(10 * SLICE_ROWS)
  const signal = { aborted: false }
  ran.length = 0
  const list = ids({ search: 'zzzz' }, { who: 'ann', signal })
  await new Promise(setImmediate)
  signal.aborted = true
  await expectFault(list, 'busy')
  expect(ran.length).toBeLessThan(10)
  expect(await ids({ search: 's3', limit: 1 }, { who: 'ann' })).toMatchObject({ ids: ['s3999'] })
})

test('[H177] a page that has read enough rows ends with what it found, and says where to go on', async () => {
  const { ids, database } = openStore(2 * SLICE_ROWS + 10, 2)
  database.exec("UPDATE sessions SET search = 'needle' WHERE sid IN (3, 3900)")
  const first = await ids({ search: 'needle', limit: 5 })
  expect(first).toEqual({ ids: ['s3900'], next: '11.11' })
  expect(await ids({ search: 'needle', limit: 5, cursor: first.next! })).toEqual({ ids: ['s3'], next: undefined })
  expect(await ids({ search: 'zzzz', limit: 5 })).toEqual({ ids: [], next: '11.11' })
  expect(await ids({ search: 's39', limit: 1 })).toEqual({ ids: ['s3999'], next: '3999.3999' })
})

test('[H175] open and settled approvals of a user are found in slices, however many others there are', async () => {
  const { directory, database, ran } = openStore(3 * SLICE_ROWS)
  database.exec(`
    INSERT INTO approvals SELECT tenant, updated_at, sid, 0, json_object('id', 'apr-' || sid) FROM sessions;
    INSERT INTO settled_approvals SELECT tenant, updated_at, sid, 1, json_object('id', 'set-' || sid) FROM sessions;
    UPDATE sessions SET owner = 'user:ann' WHERE sid IN (1, 2500, 5999)`)
  ran.length = 0
  const page = { viewer: 'user:ann', limit: 2 }
  const open = await directory.approvals('acme', page)
  expect(open.approvals.map(({ approval }) => approval.id)).toEqual(['apr-1', 'apr-2500'])
  const rest = await directory.approvals('acme', { ...page, cursor: open.next! })
  expect(rest).toMatchObject({ approvals: [{ approval: { id: 'apr-5999' } }] })
  expect(rest.next).toBeUndefined()
  const settled = await directory.settled('acme', page)
  expect(settled.approvals.map(({ approval }) => approval.id)).toEqual(['set-5999', 'set-2500'])
  expect((await directory.settled('acme', { ...page, cursor: settled.next! })).approvals).toHaveLength(1)
  // Statements come in pairs: the end of a slice, and its rows.
  expect(ran.length).toBeGreaterThan(8)
})

test('[H177] objects of one directory: a page ends where the first of them stopped reading', async () => {
  const indexes = new Map<string, DirectoryIndex>()
  for (const [shard, count] of [2 * SLICE_ROWS + 10, 50, 2 * SLICE_ROWS + 30].entries()) {
    const database = new DatabaseSync(':memory:')
    const driver = objectDriver(memoryObjectStorage(database), directoryObjectMigrations)
    driver.run("INSERT INTO meta (name, value) VALUES ('filled', 1)")
    fill(database, count)
    database.exec(
      "UPDATE sessions SET search = 'needle', row = json_set(row, '$.updatedAt', updated_at) WHERE updated_at IN (5, 20, 40)",
    )
    indexes.set(`acme/3/${shard}`, new DirectoryIndex(driver, null, 2))
  }
  const objects = { idFromName: String, get: (id: unknown) => indexes.get(String(id)) as unknown as DirectoryStub }
  const directory = remoteDirectory(objects, { count: 3, previousCounts: [] })
  const found: number[] = []
  let pages = 0
  let cursor: string | undefined
  do {
    const page = await directory.list(
      'acme',
      { search: 'needle', limit: 10, ...(cursor !== undefined && { cursor }) },
      { who: 'ann' },
    )
    found.push(...page.sessions.map(({ row: { updatedAt } }) => updatedAt))
    cursor = page.next
    pages += 1
  } while (cursor !== undefined)
  expect(pages).toBeGreaterThan(1)
  expect(found).toEqual([40, 40, 40, 20, 20, 20, 5, 5, 5])
})
