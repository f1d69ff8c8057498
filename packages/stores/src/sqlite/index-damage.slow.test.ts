// A bit that flips in an index. Rows have checksums, index entries have none: a session is found by an index and then
// compared with its row, so that damage is named and stays with its session.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Event, type Key, keyText } from '@bridle/kernel/event'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approval, events, expectFault, key, row, startSession } from '../contract/store.suite.ts'
import { type FolderStore, openSqlite } from '../data-folder.ts'

let root: string
let whole: string
let folder: string
const file = () => join(folder, 'bridle.sqlite')

const tenants = ['ta', 'tb', 'tc']
const keysOf = (ids: readonly string[]) => tenants.flatMap((tenant) => ids.map((id) => key(id, tenant)))
const keys = keysOf(['s1', 's2', 's3', 's4'])
/** Enough sessions with long ids that each index has several pages and a root above them. */
const manyIds = Array.from({ length: 40 }, (_, index) => `${'long-'.repeat(20)}${index}`)
const manyKeys = keysOf(manyIds)
const counts = new Map([...keys, ...manyKeys].map((each, index) => [keyText(each), 5 + (index % 5)]))
const said = (where: Key, first: number, last: number): Event[] =>
  events(first, last, (seq) => `${keyText(where)}#${seq} ${'x'.repeat(400)}`)
const logOf = (where: Key): Event[] => said(where, 1, counts.get(keyText(where))!)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bridle-'))
  whole = join(root, 'whole')
  await make(whole, ['s1', 's2', 's3', 's4'], 1)
  await make(join(root, 'many'), manyIds, 4)
})

/** Each round closes the store, which makes one row of each session's newest events. */
const make = async (path: string, ids: readonly string[], rounds: number): Promise<void> => {
  const store = await openSqlite(path)
  // Interleaved, so that neighbours in the indexes belong to different tenants.
  for (const id of ids)
    for (const tenant of tenants) {
      const where = key(id, tenant)
      const open = row({ title: `of ${tenant}`, approvals: [approval(`${tenant}-${id}`, 5)] })
      await startSession(store, where, 0, { events: said(where, 1, 1), row: open })
    }
  if (rounds > 1) await store.close()
  for (let round = 1; round <= rounds; round++) {
    const next = rounds > 1 ? await openSqlite(path) : store
    for (const where of keysOf(ids)) {
      const lease = (await next.log.open(where))!
      const last = round < rounds ? lease.head + 1 : counts.get(keyText(where))!
      await next.log.append(lease, { events: said(where, lease.head + 1, last) })
    }
    await next.close()
  }
}
afterAll(() => rmSync(root, { recursive: true }))
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'))
  cpSync(whole, folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Offsets and sizes of the pages of an index or a table, in the file. */
const pagesOf = (name: string, path = whole): { offset: number; size: number }[] => {
  const db = new DatabaseSync(join(path, 'bridle.sqlite'), { readOnly: true })
  const rows = db
    .prepare('SELECT pgoffset AS offset, pgsize AS size FROM dbstat WHERE name = ? ORDER BY path')
    .all(name)
  db.close()
  return rows.map(({ offset, size }) => ({ offset: Number(offset), size: Number(size) }))
}

const flip = (offset: number, bit: number): void => {
  const bytes = readFileSync(file())
  bytes[offset] = bytes[offset]! ^ (1 << bit)
  writeFileSync(file(), bytes)
}

/** The offset of a text inside an index. */
const placeIn = (index: string, text: string): number => {
  const bytes = readFileSync(file())
  for (const { offset, size } of pagesOf(index)) {
    const at = bytes.subarray(offset, offset + size).indexOf(text)
    if (at >= 0) return offset + at
  }
  throw new Error(`${text} is not in ${index}`)
}

const faultOf = async (promise: Promise<unknown>): Promise<StoreFault | null> =>
  promise.then(
    () => null,
    (cause: unknown) => {
      expect(cause).toMatchObject({ name: 'StoreFault' })
      return cause as StoreFault
    },
  )

/** Every session is as it was, or is named as damaged; nothing of another session is ever shown. */
const expectWholeOrNamed = async (store: FolderStore, all: readonly Key[] = keys): Promise<Key[]> => {
  const stopped: Key[] = []
  for (const where of all) {
    let lease: Awaited<ReturnType<FolderStore['log']['open']>> = null
    const fault = await faultOf(
      (async () => {
        lease = await store.log.open(where)
        expect(await store.log.read(where, 0, 99)).toEqual(logOf(where))
      })(),
    )
    if (fault) {
      expect(fault.code).toBe('corrupt')
      stopped.push(where)
    } else expect(lease).toMatchObject({ exists: true, head: counts.get(keyText(where)) })
  }
  for (const tenant of tenants) {
    const list = await store.directory.list(tenant, {}).catch((cause: StoreFault) => cause)
    if (list instanceof StoreFault) expect(list.code).toBe('corrupt')
    else for (const each of list.sessions) expect([each.key.tenant, each.head >= 1]).toEqual([tenant, true])
    const open = await store.directory.approvals(tenant, {}).catch((cause: StoreFault) => cause)
    if (open instanceof StoreFault) expect(open.code).toBe('corrupt')
    else for (const each of open.approvals) expect(each.key.tenant).toBe(tenant)
  }
  return stopped
}

describe('[S31] an index entry', () => {
  test('that lost its key: the session is named, and a command does not begin it again', async () => {
    // From s1 to s0, which leaves the order of the entries as it was.
    flip(placeIn('sessions_key', 'tas1') + 3, 0)
    const store = await openSqlite(folder)
    const stopped = await expectWholeOrNamed(store)
    expect(stopped).toEqual([key('s1', 'ta')])
    await expect(store.log.open(key('s1', 'ta'))).rejects.toThrow('ta/scripted/s1')
    await expectFault(store.log.open(key('s1', 'ta')), 'corrupt')
    // A lease from elsewhere does not get past it either.
    const lease = {
      key: key('s1', 'ta'),
      epoch: store.epoch,
      exists: false,
      head: 0,
      parent: null,
      snapshot: null,
      incarnation: 1,
      parentIncarnation: null,
    }
    await expectFault(store.log.append(lease, { events: said(key('s1', 'ta'), 1, 1), row: row() }), 'corrupt')
    // The other index finds the session, so a caller that asks by id learns what is wrong.
    expect(await store.directory.find('ta', 's1')).toMatchObject([{ key: key('s1', 'ta') }])
    await store.close()
  })

  test('that names the row of another tenant: nothing is read or written there', async () => {
    // The entry ends with the row's number: 2, which the flip turns into 3, the row of tc/s1.
    const rowNumber = placeIn('sessions_key', 'tbs1scripted') + 'tbs1scripted'.length
    expect(readFileSync(file())[rowNumber]).toBe(2)
    flip(rowNumber, 0)
    const store = await openSqlite(folder)
    await expectFault(store.log.read(key('s1', 'tb'), 0, 9), 'corrupt')
    await expectFault(store.log.open(key('s1', 'tb')), 'corrupt')
    await expectFault(store.log.result(key('s1', 'tb'), 'c'), 'corrupt')
    expect(await expectWholeOrNamed(store)).toEqual([key('s1', 'tb')])
    // A removal finds the right row by the other index, or removes nothing at all.
    await store.log.remove(key('s1', 'tb')).catch(() => {})
    expect(await store.log.read(key('s1', 'tc'), 0, 9)).toEqual(logOf(key('s1', 'tc')))
    await store.close()
  })

  test('of the events that is lost: the log does not seem shorter', async () => {
    // Deleted from the index alone: the table keeps the row, and SQLite does not notice.
    const db = new DatabaseSync(file())
    db.enableDefensive?.(false)
    db.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE UNIQUE INDEX log_place ON log (sid, last, part) WHERE sid <> 5'
      WHERE name = 'log_place'`)
    db.close()
    const again = new DatabaseSync(file())
    again.enableDefensive?.(false)
    again.exec(`REINDEX log_place; PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE UNIQUE INDEX log_place ON log (sid, last, part)' WHERE name = 'log_place'`)
    again.close()
    const store = await openSqlite(folder)
    const fifth = key('s2', 'tb')
    await expectFault(store.log.open(fifth), 'corrupt')
    await expect(store.log.open(fifth)).rejects.toThrow('tb/scripted/s2: its events end at 0, and have reached')
    expect(await expectWholeOrNamed(store)).toEqual([fifth])
    const { sessions } = await store.directory.list('tb', {})
    expect(sessions.find((each) => each.key.id === 's2')).toMatchObject({
      head: counts.get(keyText(fifth)),
      row: { title: 's2', detail: {} },
    })
    await store.close()
  })

  // `npm run test:long` flips more of them.
  const share = process.env.BRIDLE_VARIANTS === 'all' ? 1 : 0.3
  test.each([
    ...[
      'sessions_key',
      'sessions_name',
      'sessions_recent',
      'log_place',
      'approvals',
      'sessions_due',
      'sessions_in_hand',
    ].map((index) => [index, 'whole', 100 * share] as const),
    ...['sessions_key', 'log_place'].map((index) => [index, 'many', 40 * share] as const),
  ])(
    'of %s (%s) with any bit flipped',
    async (index, name, rounds) => {
      const next = random(7)
      const path = join(root, name)
      const all = name === 'many' ? manyKeys : keys
      const pages = pagesOf(index, path)
      if (name === 'many') expect(pages.length).toBeGreaterThan(2)
      const bytes = readFileSync(join(path, 'bridle.sqlite'))
      let found = 0
      for (let round = 0; round < rounds; round++) {
        // Where nothing is written a flip changes nothing; look for a byte in use.
        let offset = 0
        for (let tries = 0; tries < 1_000; tries++) {
          // Half of them in the root.
          const page = round % 2 ? pages[0]! : pages[Math.floor(next() * pages.length)]!
          offset = page.offset + Math.floor(next() * page.size)
          if (bytes[offset] !== 0) break
        }
        writeFileSync(file(), bytes)
        flip(offset, Math.floor(next() * 8))
        const opened = await openSqlite(folder).catch((cause: StoreFault) => cause)
        if (opened instanceof StoreFault) {
          expect([opened.code, opened.message.includes(folder)]).toEqual(['corrupt', true])
          continue
        }
        const stopped = await expectWholeOrNamed(opened, all)
        if (stopped.length > 0) found++
        // An append that succeeds goes to its own session, and nowhere else.
        for (const where of all.filter((each) => !stopped.includes(each)).slice(0, 3)) {
          const head = counts.get(keyText(where))!
          const lease = (await opened.log.open(where))!
          const fault = await faultOf(opened.log.append(lease, { events: said(where, head + 1, head + 1) }))
          if (!fault) expect((await opened.log.read(where, head, 9)).map(({ seq }) => seq)).toEqual([head + 1])
          else expect(fault.code).toBe('corrupt')
        }
        await opened.close().catch(() => {})
      }
      if (['sessions_key', 'log_place'].includes(index)) expect(found).toBeGreaterThan(rounds / 10)
    },
    60_000,
  )
})

describe('[O5] a damaged table "meta" is named at the start', () => {
  test.each([
    ['without its version', "DELETE FROM meta WHERE name = 'schema'"],
    ['with an older version', "UPDATE meta SET value = 2 WHERE name = 'schema'"],
    ['with a version that is no number', "UPDATE meta SET value = 'x' WHERE name = 'schema'"],
    ['with a version below any', "UPDATE meta SET value = -3 WHERE name = 'schema'"],
    ['without its epoch', "DELETE FROM meta WHERE name = 'epoch'"],
    ['that is gone', 'DROP TABLE meta'],
  ])('%s', async (_name, sql) => {
    const db = new DatabaseSync(file())
    db.exec(sql)
    db.close()
    const opened = openSqlite(folder)
    await expectFault(opened, 'corrupt')
    await expect(opened).rejects.toThrow(`${folder} cannot be opened: The table "meta" of the database is damaged`)
  })
})

test('[S31] a damaged index entry does not let a removal take rows of another session', async () => {
  // The entry of tc/s1 (session 3, events up to 8, row 3) is made to name row 2, which is of tb/s1.
  const entry = [3, 8, 3]
  const [page] = pagesOf('log_place')
  const at = readFileSync(file()).indexOf(Buffer.from(entry), page!.offset)
  expect(at).toBeLessThan(page!.offset + page!.size)
  flip(at + 2, 0)
  const store = await openSqlite(folder)
  await expectFault(store.log.read(key('s1', 'tc'), 0, 9), 'corrupt')
  expect(await store.log.remove(key('s1', 'tc'))).toBe(true)
  const isSwept = () => {
    const db = new DatabaseSync(file(), { readOnly: true })
    const left = db.prepare('SELECT count(*) AS n FROM sessions WHERE sid = 3').get()
    db.close()
    return left?.n === 0
  }
  await expect.poll(isSwept).toBe(true)
  expect(await store.log.read(key('s1', 'tb'), 0, 9)).toEqual(logOf(key('s1', 'tb')))
  await store.close()
})

const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}
