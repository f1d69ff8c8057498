// A data folder with killed owners, rival processes, other versions and damage.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Event, Key } from '@bridle/kernel/event'
import type { ListFilter } from '@bridle/kernel/ports/directory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isThorough } from '../../../scripts/variants.ts'
import {
  approval,
  event,
  events,
  expectFault,
  key,
  range,
  row,
  type StoreOwner,
  seqs,
  startSession,
} from './contract/store.suite.ts'
import { openSqlite } from './data-folder.ts'
import { migrations } from './sqlite/schema.ts'
import { preserveDamagedWal } from './wal/damaged-wal.ts'

let folder: string
const file = () => join(folder, 'bridle.sqlite')
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'bridle-')), 'data')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

/** Changes the database behind the store's back. */
const edit = (...sql: string[]): void => {
  const db = new DatabaseSync(file())
  for (const statement of sql) db.exec(statement)
  db.close()
}

test('a folder is made, closed, and opened again by the next incarnation', async () => {
  const first = await openSqlite(folder)
  await startSession(first, key('con..:@-'), 2)
  await first.close()
  expect(readdirSync(folder).toSorted()).toEqual(['bridle.sqlite', 'lock', 'owner'])
  const second = await openSqlite(folder)
  expect(second.epoch).toBe(first.epoch + 1)
  expect(await second.log.read(key('con..:@-'), 0, 9)).toEqual(events(1, 2))
  await second.close()
  await second.close()
  await expectFault(second.log.read(key('a'), 0, 9), 'fenced')
})

test.skipIf(process.platform === 'win32')('[O1] nobody but its owner can read it, whatever the umask', async () => {
  const umask = process.umask(0)
  try {
    const store = await openSqlite(folder)
    await startSession(store, key('a'), 2)
    const modes = ['.', ...readdirSync(folder).toSorted()].map((name) => [
      name,
      (statSync(join(folder, name)).mode & 0o777).toString(8),
    ])
    expect(Object.fromEntries(modes)).toEqual({
      '.': '700',
      'bridle.sqlite': '600',
      'bridle.sqlite-shm': '600',
      'bridle.sqlite-wal': '600',
      lock: '600',
      owner: '600',
    })
    await store.close()
  } finally {
    process.umask(umask)
  }
})

test.skipIf(process.platform === 'win32')(
  '[O1] a folder that others can read is closed, unless it has files of others',
  async () => {
    const modeAfter = async (mode: number, names: readonly string[] = []) => {
      const at = mkdtempSync(join(tmpdir(), 'bridle-open-'))
      for (const name of names) writeFileSync(join(at, name), '')
      chmodSync(at, mode)
      await (await openSqlite(at)).close()
      const after = statSync(at).mode & 0o7777
      rmSync(at, { recursive: true })
      return after.toString(8)
    }
    const passable = process.getuid?.() === 0 ? '701' : '700'
    expect(await modeAfter(0o755)).toBe(passable)
    expect(await modeAfter(0o770)).toBe('700')
    expect(await modeAfter(0o755, ['bridle.sqlite', 'lock', 'owner'])).toBe(passable)
    expect(await modeAfter(0o755, ['a-file-of-others'])).toBe('755')
    expect(await modeAfter(0o1777)).toBe('1777')
    // Engines of another user pass through it.
    expect(await modeAfter(0o701)).toBe('701')
  },
)

describe('[O11] a folder that is taken away', () => {
  const past = () => new Promise((resolve) => setTimeout(resolve, 150))

  test.each<[string, () => void]>([
    ['removed', () => rmSync(folder, { recursive: true })],
    ['moved', () => renameSync(folder, `${folder}-elsewhere`)],
    ['emptied', () => rmSync(file())],
    [
      'replaced',
      () => {
        renameSync(file(), `${file()}-old`)
        copyFileSync(`${file()}-old`, file())
      },
    ],
  ])('%s: nothing is acknowledged, and nothing is made in its place', async (_name, take) => {
    const store = await openSqlite(folder)
    const lease = await startSession(store, key('a'), 2)
    expect(store.writeFault()).toBe(null)
    take()
    const left = existsSync(file()) && readFileSync(file())
    expect(store.writeFault()).toMatchObject({ code: 'gone' })
    await past()
    await expectFault(store.log.append(lease, { events: [event(3)] }), 'gone')
    await expectFault(store.log.remove(key('a')), 'gone')
    await expectFault(store.log.open(key('b')), 'gone')
    await store.close().catch(() => {})
    expect(existsSync(file()) && readFileSync(file())).toEqual(left)
  })

  test('put back, it goes on', async () => {
    const store = await openSqlite(folder)
    const lease = await startSession(store, key('a'), 2)
    renameSync(folder, `${folder}-elsewhere`)
    await past()
    await expectFault(store.log.append(lease, { events: [event(3)] }), 'gone')
    renameSync(`${folder}-elsewhere`, folder)
    await store.log.append(lease, { events: [event(3)] })
    await store.close()
    const next = await openSqlite(folder)
    expect(seqs(await next.log.read(key('a'), 0, 9))).toEqual([1, 2, 3])
    await next.close()
  })
})

describe('[O11] a file beside the database that is taken away', () => {
  const beside = ['-wal', '-shm']
  const takings: [string, (name: string) => void][] = [
    ['removed', (name) => rmSync(name)],
    [
      'replaced',
      (name) => {
        renameSync(name, `${name}.old`)
        writeFileSync(name, '')
      },
    ],
  ]

  test.each(beside.flatMap((end) => takings.map(([how, take]) => [end, how, take] as const)))(
    '%s %s: nothing more is acknowledged, and a kill loses nothing that was',
    async (end, _how, take) => {
      const store = await openSqlite(folder)
      const leases = []
      for (const id of ['a', 'b', 'c']) leases.push(await startSession(store, key(id), 2))
      take(`${file()}${end}`)
      // Until the next look, commits go to a file without a name.
      for (const lease of leases) await store.log.append(lease, { events: [event(3)] }).catch(() => {})
      const acknowledged = (await Promise.all(leases.map((lease) => store.log.open(lease.key).catch(() => null)))).map(
        (lease) => lease?.head ?? 2,
      )
      expect(store.writeFault()).toMatchObject({ code: 'gone' })
      expect(store.writeFault()?.message).toContain(`bridle.sqlite${end} was removed or replaced`)
      for (const lease of leases) await expectFault(store.log.append(lease, { events: [event(4)] }), 'gone')
      // The files as a kill leaves them.
      const left = join(folder, '..', 'left')
      await (await openSqlite(left)).close()
      for (const name of ['bridle.sqlite', 'bridle.sqlite-wal'])
        if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(left, name))
      const next = await openSqlite(left)
      for (const [index, { key: at }] of leases.entries())
        expect(seqs(await next.log.read(at, 0, 9)).length).toBeGreaterThanOrEqual(acknowledged[index]!)
      await next.close()
      await store.close()
      const again = await openSqlite(folder)
      for (const [index, { key: at }] of leases.entries())
        expect(seqs(await again.log.read(at, 0, 9)).length).toBeGreaterThanOrEqual(acknowledged[index]!)
      await again.close()
    },
  )
})

describe('[H22] what is removed is really gone', () => {
  const marker = 'a secret that nobody else would write'
  const holds = () =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(Buffer.from(marker)))
  const secret = (seq: number, chars = 0): Event => {
    const text = `${marker} ${'x'.repeat(chars)}`
    return { ...event(seq), payload: { text } } as Event
  }
  const snapshot = (seq: number) => ({
    ...{ seq, foldVersion: 'f', state: JSON.stringify(marker), settled: 1, keep: true },
    pieces: [{ index: 0, text: JSON.stringify(marker) }],
  })

  test.each([
    ['a few words', 0],
    ['a page of text', 20_000],
    ['much text', 400_000],
  ])('%s', async (_name, chars) => {
    const store = await openSqlite(folder)
    const lease = await startSession(store, key('a'), 1)
    for (const seq of range(2, 40)) {
      await store.log.append(lease, {
        events: [secret(seq, chars)],
        row: { ...row(), title: `${marker} ${seq}`, approvals: [{ ...approval('x', 1), reason: marker }] },
        results: [{ commandId: `c-${seq}`, bodyHash: 'h', answer: { marker } }],
        ...(seq % 10 === 0 && { snapshot: snapshot(seq) }),
      })
      // Others write in between, so that what is freed lies among what is not, and the tail is settled again and again.
      await startSession(store, key(`other-${seq}`), 30)
    }
    expect(holds()).not.toEqual([])
    await store.log.remove(key('a'))
    // The rows go in slices, and then what the write-ahead log still has of them.
    for (let turn = 0; turn < 1_000 && holds().length > 0; turn++) await new Promise(setImmediate)
    expect(holds()).toEqual([])
    await store.close()
    expect(holds()).toEqual([])
  })
})

test('[O10] a purge that a kill -9 cut short is done by the next start, though nobody writes', async () => {
  const store = await openSqlite(folder)
  const text = 'a word that nobody else says'
  const holdsIt = (at: string) =>
    readdirSync(at).filter((name) => name.startsWith('bridle.sqlite') && readFileSync(join(at, name)).includes(text))
  for (const id of ['a', 'b', 'c']) {
    const lease = await startSession(store, key(id), 1)
    for (const seq of range(2, 60)) await store.log.append(lease, { events: [event(seq, id === 'c' ? 'x' : text)] })
  }
  await Promise.all([store.log.remove(key('a')), store.log.remove(key('b'))])
  // The files as a kill would leave them, at each moment of the removal.
  const copies: string[] = []
  for (let turn = 0; turn < 100 && holdsIt(folder).length > 0; turn++) {
    const copy = join(folder, '..', `killed-${turn}`)
    mkdirSync(copy)
    for (const name of ['bridle.sqlite', 'bridle.sqlite-wal']) copyFileSync(join(folder, name), join(copy, name))
    copies.push(copy)
    await new Promise(setImmediate)
  }
  expect(copies.length).toBeGreaterThan(1)
  await store.close()
  for (const copy of copies) {
    const next = await openSqlite(copy)
    await next.directory.due(0, 1)
    for (let turn = 0; turn < 100 && holdsIt(copy).length > 0; turn++) await new Promise(setImmediate)
    expect(holdsIt(copy)).toEqual([])
    expect((await next.log.open(key('c')))?.head).toBe(60)
    await next.close()
  }
})

describe('processes', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  /** Starts a child that owns the folder; `lines` grows with what it prints. */
  const child = async (
    mode: string,
  ): Promise<{ process: ChildProcess; lines: () => string[]; kill(): Promise<void> }> => {
    const script = fileURLToPath(new URL('./crash-child.suite.ts', import.meta.url))
    const started = spawn(process.execPath, [script, folder, mode], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(started)
    let printed = ''
    started.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    await once(started.stdout!, 'data')
    return {
      process: started,
      // A line cut short by the kill was never printed.
      lines: () => printed.split('\n').slice(0, -1),
      async kill() {
        started.kill('SIGKILL')
        await once(started, 'close')
      },
    }
  }

  test('kill -9 at any moment: what was acknowledged is there, dense and once', { timeout: 60_000 }, async () => {
    const acknowledged = new Map<string, number>()
    for (let round = 0; round < (isThorough ? 12 : 5); round++) {
      const owner = await child('append')
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150))
      await owner.kill()
      const answers: [id: string, head: number][] = []
      for (const line of owner.lines().slice(1)) {
        const [id = '', head = ''] = line.split(' ')
        acknowledged.set(id, Number(head))
        answers.push([id, Number(head)])
      }
      const store = await openSqlite(folder)
      expect(store.damage).toBeNull()
      for (const [id, head] of acknowledged) {
        const found = await store.log.read(key(id), 0, Number.MAX_SAFE_INTEGER)
        expect(found.length).toBeGreaterThanOrEqual(head)
        expect(seqs(found)).toEqual(range(1, found.length))
        expect(found.every(({ payload, seq }) => (payload as unknown) === `${id}/${seq}`)).toBe(true)
        // The row was committed with its events, so it says the same head.
        const { sessions } = await store.directory.list('acme', { search: id })
        expect(sessions.find((listed) => listed.key.id === id)).toMatchObject({
          head: found.length,
          row: { title: `${found.length}` },
        })
      }
      for (const [id, head] of answers.slice(-50))
        expect(await store.log.result(key(id), `c${head}`)).toMatchObject({ answer: head })
      await store.close()
    }
    expect(Math.min(...acknowledged.values())).toBeGreaterThan(0)
  })

  test('a second process is refused, by name; the lock dies with its owner', async () => {
    const owner = await child('hold')
    const refused = openSqlite(folder)
    await expectFault(refused, 'in_use')
    await expect(refused).rejects.toThrow(
      `${folder} is in use by another process (pid ${owner.process.pid}). Stop that process first, or choose another folder with the setting data (--data).`,
    )
    await owner.kill()
    await (await openSqlite(folder)).close()
  })

  test('a second owner in the same process is refused too', async () => {
    const store = await openSqlite(folder)
    await expectFault(openSqlite(folder), 'in_use')
    await startSession(store, key('a'), 1)
    await store.close()
  })
})

describe('[O32] lost commits', () => {
  /** The folder as kill -9 would leave it, with three sessions; flipped: a bit in the middle of its write-ahead log. */
  const killed = async (isFlipped: boolean): Promise<string> => {
    const store = await openSqlite(folder)
    for (const id of ['a', 'b', 'c']) await startSession(store, key(id), 3)
    for (const id of ['a', 'b', 'c']) await store.log.append((await store.log.open(key(id)))!, { events: events(4, 6) })
    const copy = join(folder, '..', `copy-${isFlipped}`)
    cpSync(folder, copy, { recursive: true, filter: (name) => !/lock$|owner$/.test(name) })
    await store.close()
    const wal = readFileSync(join(copy, 'bridle.sqlite-wal'))
    if (isFlipped) wal[32 + Math.floor((wal.length - 32) / 4120 / 2) * 4120 + 99]! ^= 1
    writeFileSync(join(copy, 'bridle.sqlite-wal'), wal)
    return copy
  }
  const incarnations = async ({ log }: StoreOwner) =>
    Promise.all(['a', 'b', 'c', 'new'].map(async (id) => (await log.open(key(id)))?.incarnation))

  test('a healthy folder keeps its incarnation, however often it is opened', async () => {
    const copy = await killed(false)
    for (let round = 0; round < 2; round++) {
      const store = await openSqlite(copy)
      expect([store.damage, await incarnations(store)]).toEqual([null, [1, 1, 1, 1]])
      await store.close()
    }
    expect(readdirSync(copy).filter((name) => name.includes('wal'))).toEqual([])
  })

  test('a damaged one gets the next, once, and one copy of its log is kept', async () => {
    const copy = await killed(true)
    const wal = readFileSync(join(copy, 'bridle.sqlite-wal'))
    const store = await openSqlite(copy)
    const damaged = join(copy, 'bridle.sqlite-wal.damaged')
    expect(store.damage).toMatchObject({ incarnation: 2, copy: damaged, commitsLost: expect.any(Number) })
    expect(await incarnations(store)).toEqual([2, 2, 2, 2])
    expect(readFileSync(damaged)).toEqual(wal)
    await store.close()
    const again = await openSqlite(copy)
    expect([again.damage, await incarnations(again)]).toEqual([null, [2, 2, 2, 2]])
    await again.close()
    expect(readdirSync(copy).filter((name) => name.includes('wal'))).toEqual(['bridle.sqlite-wal.damaged'])
  })

  test('a start that ends between noticing it and telling the logs is made up for by the next', async () => {
    const copy = await killed(true)
    const file = join(copy, 'bridle.sqlite')
    const noticed = preserveDamagedWal(file)
    expect(noticed?.damage.commitsLost).toBeGreaterThan(0)
    // SQLite has opened the database meanwhile, and the log says nothing any more.
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE meanwhile (n)')
    db.close()
    const store = await openSqlite(copy)
    expect([store.damage?.incarnation, await incarnations(store)]).toEqual([2, [2, 2, 2, 2]])
    await store.close()
    expect(readdirSync(copy).filter((name) => name.includes('wal'))).toEqual(['bridle.sqlite-wal.damaged'])
  })
})

describe('versions', () => {
  const more = [...migrations, ['CREATE TABLE extra (x)', 'INSERT INTO extra SELECT count(*) FROM sessions']]
  const contents = () =>
    Object.fromEntries(
      readdirSync(folder)
        .filter((name) => !name.endsWith('-shm'))
        .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
    )

  test('[O5] an older folder is migrated and keeps its data', async () => {
    const old = await openSqlite(folder)
    await startSession(old, key('a'), 3)
    await old.close()
    const store = await openSqlite(folder, more)
    expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1, 2, 3])
    await store.close()
    const db = new DatabaseSync(file())
    expect(db.prepare('SELECT x FROM extra').all()).toEqual([{ x: 1 }])
    expect(db.prepare("SELECT value FROM meta WHERE name = 'schema'").get()).toEqual({ value: migrations.length + 1 })
    db.close()
  })

  test('[H32] sessions of an older folder have the owner that their ids and branches tell', async () => {
    const old = await openSqlite(folder, migrations.slice(0, 3))
    const db = new DatabaseSync(file())
    const add = db.prepare(
      `INSERT INTO sessions (tenant, agent, id, base, kind, status, updated_at, hangs_from, search, row)
       VALUES ('acme', 'scripted', ?, 0, 'chat', 'idle', 1, ?, ?, ?)`,
    )
    const lineage: [string, string | null][] = [
      ['user:ada', null],
      ['chat-1', 'user:ada'],
      ['chat-2', 'chat-1'],
      ['work', 'chat-2'],
      ['user:bob', 'user:ada'],
      ['bob-1', 'user:bob'],
      ['orphan', 'user:gone'],
      ['shared', null],
      ['shared-1', 'shared'],
      ['circle-1', 'circle-2'],
      ['circle-2', 'circle-1'],
    ]
    for (const [id, parent] of lineage) add.run(id, parent, id, JSON.stringify(row()))
    db.close()
    await old.close()
    const { directory, ...store } = await openSqlite(folder)
    const shown = async (viewer: string) =>
      (await directory.list('acme', { viewer })).sessions.map((each) => each.key.id).toSorted()
    const nobodys = ['circle-1', 'circle-2', 'shared', 'shared-1']
    expect(await shown('user:ada')).toEqual([...nobodys, 'chat-1', 'chat-2', 'user:ada', 'work'].toSorted())
    expect(await shown('user:bob')).toEqual([...nobodys, 'bob-1', 'user:bob'].toSorted())
    expect(await shown('user:gone')).toEqual([...nobodys, 'orphan'].toSorted())
    await store.close()
  })

  test('[O5] sessions of an older folder are found in hand and due as they were', async () => {
    const old = await openSqlite(folder, migrations.slice(0, 6))
    const db = new DatabaseSync(file())
    const add = db.prepare(
      `INSERT INTO sessions (tenant, agent, id, base, kind, status, updated_at, wake_at, search, row)
       VALUES ('acme', 'scripted', ?, 0, 'chat', 'idle', 1, ?, ?, ?)`,
    )
    const wakes: [string, number | null][] = [
      ['hand-1', 0],
      ['later', 20],
      ['never', null],
      ['hand-2', 0],
      ['soon', 10],
    ]
    for (const [id, wakeAt] of wakes) add.run(id, wakeAt, id, JSON.stringify(row()))
    db.close()
    await old.close()
    const { log, directory, ...store } = await openSqlite(folder)
    const ids = (keys: readonly Key[]) => keys.map(({ id }) => id)
    expect(ids(await directory.inHand(9))).toEqual(['hand-1', 'hand-2'])
    expect([ids(await directory.due(15, 9)), ids(await directory.due(20, 9))]).toEqual([['soon'], ['soon', 'later']])
    const lease = (await log.open(key('hand-1')))!
    await log.append(lease, { events: [event(1)], wake: { inHand: false, dueAt: 30 } })
    expect([ids(await directory.inHand(9)), ids(await directory.due(99, 9))]).toEqual([
      ['hand-2'],
      ['soon', 'later', 'hand-1'],
    ])
    await store.close()
  })

  test('[H175] the sessions of an older folder are in the lists of their users, statuses and parents', async () => {
    const old = await openSqlite(folder, migrations.slice(0, 8))
    for (const [n, id] of ['a', 'b', 'c', 'd', 'e', 'f'].entries())
      await startSession(old, key(id), 1, {
        row: row({
          status: n % 2 ? 'running' : 'idle',
          owner: ['user:ann', 'user:bob', null][n % 3] ?? null,
          updatedAt: n,
          ...(n > 3 && { parent: { agent: 'scripted', id: 'a', seq: 1 } }),
        }),
      })
    await old.close()
    const store = await openSqlite(folder)
    const ids = async (filter: ListFilter) =>
      (await store.directory.list('acme', filter)).sessions.map((session) => session.key.id).join('')
    expect(await ids({ viewer: 'user:ann' })).toBe('fdca')
    expect(await ids({ viewer: 'user:bob', status: 'running' })).toBe('fb')
    expect(await ids({ status: 'running' })).toBe('fdb')
    expect(await ids({ parentId: 'a' })).toBe('fe')
    expect(await ids({ parentId: 'a', order: 'created' })).toBe('ef')
    expect(await ids({ order: 'created' })).toBe('abcdef')
    await store.close()
  })

  test('a migration that fails changes nothing', async () => {
    await (await openSqlite(folder)).close()
    await expect(openSqlite(folder, [...migrations, ['CREATE TABLE extra (x)', 'nonsense']])).rejects.toThrow()
    const store = await openSqlite(folder, more)
    await store.close()
  })

  test('[O5] a newer folder is refused and left as it is', async () => {
    await (await openSqlite(folder, more)).close()
    const before = contents()
    await expectFault(openSqlite(folder), 'refused')
    await expect(openSqlite(folder)).rejects.toThrow(
      `${folder} has schema version ${migrations.length + 1}; this Bridle knows up to ${migrations.length}`,
    )
    expect(contents()).toEqual(before)
    await (await openSqlite(folder, more)).close()
  })

  test('also when its owner was killed and the newest is in the write-ahead log alone', async () => {
    const newer = await openSqlite(folder, more)
    await startSession(newer, key('a'), 1)
    const copy = join(folder, '..', 'copy')
    await (await openSqlite(copy)).close()
    for (const name of ['bridle.sqlite', 'bridle.sqlite-wal']) copyFileSync(join(folder, name), join(copy, name))
    await newer.close()
    folder = copy
    const before = contents()
    expect(before).toHaveProperty(['bridle.sqlite-wal'])
    await expectFault(openSqlite(folder), 'refused')
    expect(contents()).toEqual(before)
    const store = await openSqlite(folder, more)
    expect(seqs(await store.log.read(key('a'), 0, 9))).toEqual([1])
    await store.close()
  })

  test('a file that is no database is refused and left as it is', async () => {
    await (await openSqlite(folder)).close()
    writeFileSync(file(), 'not a database'.repeat(1000))
    const before = contents()
    await expect(openSqlite(folder)).rejects.toThrow(folder)
    expect(contents()).toEqual(before)
  })
})

describe('damage', () => {
  const snapshot = {
    seq: 4,
    foldVersion: 'v',
    state: '{"a":1}',
    settled: 1,
    pieces: [{ index: 0, text: '"m"' }],
    keep: false,
  }

  beforeEach(async () => {
    const store = await openSqlite(folder)
    for (const id of ['good', 'bad']) {
      const lease = await startSession(store, key(id), 3)
      await store.log.append(lease, { events: [event(4, `needle-${id}`)], snapshot })
    }
    await store.close()
    // A second segment, so that there is something before the damage.
    const again = await openSqlite(folder)
    for (const id of ['good', 'bad'])
      await again.log.append((await again.log.open(key(id)))!, { events: [event(5, `point-${id}`)] })
    await again.close()
  })

  test('[O5] a flipped bit stops its session, names it, and leaves the others alone', async () => {
    const bytes = readFileSync(file())
    const at = bytes.indexOf('point-bad')
    bytes[at] = bytes[at]! ^ 1
    writeFileSync(file(), bytes)
    const store = await openSqlite(folder)
    await expectFault(store.log.read(key('bad'), 0, 9), 'corrupt')
    await expect(store.log.read(key('bad'), 0, 9)).rejects.toThrow('acme/scripted/bad: events 5 to 5')
    expect(seqs(await store.log.read(key('bad'), 0, 4))).toEqual([1, 2, 3, 4])
    expect(seqs(await store.log.read(key('good'), 0, 9))).toEqual([1, 2, 3, 4, 5])
    await startSession(store, key('new'), 1)
    await store.close()
  })

  test.each([
    ['a lost row', "DELETE FROM log WHERE last = 4 AND sid = (SELECT sid FROM sessions WHERE id = 'bad')"],
    [
      'a row in the wrong place',
      "UPDATE log SET last = 9 WHERE last = 5 AND sid = (SELECT sid FROM sessions WHERE id = 'bad')",
    ],
    [
      'a body of another type',
      "UPDATE log SET body = x'00' WHERE last = 4 AND sid = (SELECT sid FROM sessions WHERE id = 'bad')",
    ],
    ['a lost parent', "UPDATE sessions SET parent_sid = 999 WHERE id = 'bad'"],
  ])('%s is found', async (_name, sql) => {
    edit(sql)
    const store = await openSqlite(folder)
    await expectFault(store.log.read(key('bad'), 0, 9), 'corrupt')
    expect(seqs(await store.log.read(key('good'), 0, 9))).toEqual([1, 2, 3, 4, 5])
    await store.close()
  })

  test.each(['substr(row, 2)', "'{}'", "'null'"])('a damaged row (%s) does not take the list along', async (damage) => {
    edit(`UPDATE sessions SET row = ${damage} WHERE id = 'bad'`)
    const store = await openSqlite(folder)
    const { sessions } = await store.directory.list('acme', {})
    expect(sessions.map((listed) => [listed.key.id, listed.head, listed.row.title])).toEqual([
      ['bad', 5, 'bad'],
      ['good', 5, 'A session'],
    ])
    await store.close()
  })

  test.each(["'{'", "'null'", "'{}'"])('a damaged approval (%s) does not take the inbox along', async (damage) => {
    const before = await openSqlite(folder)
    for (const id of ['bad', 'good']) {
      const lease = (await before.log.open(key(id)))!
      await before.log.append(lease, { events: [event(6)], row: row({ approvals: [approval(`apr-${id}`, 1)] }) })
    }
    await before.close()
    edit(`UPDATE approvals SET body = ${damage} WHERE sid = (SELECT sid FROM sessions WHERE id = 'bad')`)
    const store = await openSqlite(folder)
    const { approvals } = await store.directory.approvals('acme', {})
    expect(approvals.map(({ approval: { id } }) => id)).toEqual(['apr-good'])
    await store.close()
  })

  test('damage in the tail stays with its session when the tail is settled', async () => {
    const sid = "(SELECT sid FROM sessions WHERE id = 'bad')"
    const columns = 'sid, last, part, parts, first, body, sum'
    edit(`INSERT INTO tail (${columns}) SELECT ${columns} FROM log WHERE last = 5`, 'DELETE FROM log WHERE last = 5')
    edit(`UPDATE tail SET body = replace(body, 'point', 'paint') WHERE sid = ${sid}`)
    for (const _settled of [false, true]) {
      const store = await openSqlite(folder)
      await expectFault(store.log.read(key('bad'), 0, 9), 'corrupt')
      expect(seqs(await store.log.read(key('good'), 0, 9))).toEqual([1, 2, 3, 4, 5])
      await store.close()
    }
  })

  test.each([
    ['state', `UPDATE texts SET body = '{"a":2}' WHERE idx = -1`],
    ['message', `UPDATE texts SET body = '"n"' WHERE idx = 0`],
    ['row', 'UPDATE snapshots SET settled = 0'],
  ])('a snapshot with a damaged %s is passed over', async (_name, sql) => {
    edit(sql)
    const store = await openSqlite(folder)
    expect(await store.log.open(key('bad'))).toMatchObject({ head: 5, snapshot: null })
    expect(seqs(await store.log.read(key('bad'), 0, 9))).toEqual([1, 2, 3, 4, 5])
    await store.close()
  })
})

test('messages that a branch is handed are not read again', async () => {
  const store = await openSqlite(folder)
  const message = (index: number) => ({ index, text: `"m${index}"` })
  const snapshot = { seq: 3, foldVersion: 'v', state: '{}', settled: 3, pieces: [0, 1, 2].map(message), keep: true }
  await startSession(store, key('a'), 3, { snapshot })
  const lease = await store.log.open(key('b'), { agent: 'scripted', id: 'a', seq: 3 }, { seq: 3, count: 2 })
  expect(lease?.snapshot?.pieces).toEqual([null, null, '"m2"'])
  await store.close()
})

test('[O10] what was removed is overwritten in the files', async () => {
  const store = await openSqlite(folder)
  const text = 'a word that nobody else says'
  const holds = () => [file(), `${file()}-wal`].some((name) => existsSync(name) && readFileSync(name).includes(text))
  const lease = await startSession(store, key('a'), 1)
  for (let seq = 2; seq <= 20; seq++) await store.log.append(lease, { events: [event(seq, text)] })
  expect(holds()).toBe(true)
  await store.log.remove(key('a'))
  await expect.poll(holds).toBe(false)
  await store.close()
})

test('rows of a removed session are swept once no branch needs them', async () => {
  const store = await openSqlite(folder)
  const counts = () => {
    const db = new DatabaseSync(file(), { readOnly: true })
    const tables = ['sessions', 'log', 'tail', 'texts', 'snapshots', 'answers']
    const found = tables.map((table) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n))
    db.close()
    return found
  }
  const snapshot = { seq: 1, foldVersion: 'v', state: '{}', settled: 0, pieces: [], keep: true }
  const lease = await startSession(store, key('a'), 1, {
    snapshot,
    results: [{ commandId: 'c', bodyHash: '', answer: 0 }],
  })
  const large = 'x'.repeat(20_000)
  for (let seq = 2; seq <= 1200; seq++) await store.log.append(lease, { events: [event(seq, large)] })
  await startSession(store, key('b'), 1, {}, { agent: 'scripted', id: 'a', seq: 5 })
  await store.log.remove(key('a'))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(seqs(await store.log.read(key('b'), 0, 99))).toEqual(range(1, 6))
  expect(counts()[0]).toBe(2)
  await store.log.remove(key('b'))
  await expect.poll(counts).toEqual([0, 0, 0, 0, 0, 0])
  expect(await store.log.open(key('a'))).toMatchObject({ head: 1200 })
  await store.close()
  expect(existsSync(`${file()}-wal`)).toBe(false)
})

test('[S32] reading many large events lets others have their turn in between', async () => {
  const store = await openSqlite(folder)
  const lease = await startSession(store, key('a'), 1)
  for (const seq of range(2, 21)) await store.log.append(lease, { events: [event(seq, 'x'.repeat(300_000))] })
  let turns = 0
  let isReading = true
  const turn = () => {
    turns += 1
    if (isReading) setImmediate(turn)
  }
  setImmediate(turn)
  let pages = 0
  for (let seen = 0; seen < 21; pages++)
    seen = (await store.log.read(key('a'), seen, 99, { charsMax: 250_000 })).at(-1)!.seq
  isReading = false
  expect(pages).toBeGreaterThan(15)
  expect(turns).toBeGreaterThanOrEqual(pages - 2)
  await store.close()
})
