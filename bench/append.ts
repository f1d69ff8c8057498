// Durable appends, closed loop: each session has one append outstanding and makes the next when it is acknowledged.
// The rivals write the same events: a plain file with one sync per group, one with a sync per event, and SQLite with
// a transaction per event. All of them sync before they acknowledge.
import { closeSync, fdatasync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Event, Key } from '@bridle/kernel/event'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import { openSqlite } from '@bridle/stores/data-folder'
import { type BenchFigure, type BenchVariant, figure, interleave, print } from './figure.ts'

const roundMs = 400
/** Before the clock starts: code is compiled and files have grown, as in a server that has run for a while. */
const warmMs = 250

export const append = async (): Promise<BenchFigure[]> => {
  const hundred = await interleave({
    ours: bridle(100),
    'fs group commit': groupedFile(100),
    'sqlite transaction per event': sqlitePerEvent(100),
  })
  const one = await interleave({ ours: bridle(1), 'fs fdatasync per event': syncedFile(1) })
  return [
    figure(hundred, ['ours', 'fs group commit'], {
      id: 'B1a',
      what: 'durable append, 100 sessions / plain file with group commit (events/s)',
      target: 0.15,
      better: 'higher',
    }),
    figure(hundred, ['ours', 'sqlite transaction per event'], {
      id: 'B1b',
      what: 'durable append, 100 sessions / sqlite with a transaction per event (events/s)',
      target: 5,
      better: 'higher',
    }),
    figure(one, ['ours', 'fs fdatasync per event'], {
      id: 'B1c',
      what: 'durable append, 1 session / plain file with a sync per event (events/s)',
      target: 0.8,
      better: 'higher',
    }),
  ]
}

interface EventWriter {
  append(session: number, event: Event): Promise<void>
  /** The numbers of each session's events, as found in storage. */
  readBack(sessions: number): Promise<number[][]>
  close(): Promise<void>
}

/** About 224 bytes as JSON. */
const eventOf = (session: number, seq: number): Event =>
  ({
    type: 'token',
    payload: { text: 'x'.repeat(119) },
    run: `run-${session}`,
    attempt: 1,
    frame: seq,
    seq,
    at: 1_700_000_000_000 + seq,
  }) as unknown as Event

const variant = (sessions: number, open: (folder: string) => Promise<EventWriter>): BenchVariant => ({
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'bench-append-'))
    const writer = await open(folder)
    const acknowledged = new Array<number>(sessions).fill(0)
    const appendFor = async (ms: number): Promise<number> => {
      const start = performance.now()
      let events = 0
      const loops = acknowledged.map(async (before, session) => {
        for (let seq = before + 1; performance.now() < start + ms; seq++) {
          await writer.append(session, eventOf(session, seq))
          acknowledged[session] = seq
          events++
        }
      })
      await Promise.all(loops)
      return events / ((performance.now() - start) / 1000)
    }
    await appendFor(warmMs)
    const value = await appendFor(roundMs)
    const found = await writer.readBack(sessions)
    await writer.close()
    rmSync(folder, { recursive: true })
    const verified = acknowledged.every(
      (count, session) => found[session]?.length === count && found[session].every((seq, at) => seq === at + 1),
    )
    return { value, verified: verified && value > 0 }
  },
})

const bridle = (sessions: number): BenchVariant =>
  variant(sessions, async (folder) => {
    const store = await openSqlite(folder)
    const key = (session: number): Key => ({ tenant: 'bench', agent: 'scripted', id: `s${session}` })
    const leases = await Promise.all(Array.from({ length: sessions }, async (_, n) => (await store.log.open(key(n)))!))
    const row: DirectoryRow = {
      kind: 'chat',
      status: 'running',
      title: 'bench',
      createdAt: 0,
      updatedAt: 0,
      parent: null,
      approvals: [],
      detail: {},
    }
    return {
      append: (session, event) =>
        store.log.append(leases[session]!, event.seq === 1 ? { events: [event], row } : { events: [event] }),
      readBack: (count) =>
        Promise.all(
          Array.from({ length: count }, async (_, n) =>
            (await store.log.read(key(n), 0, Number.MAX_SAFE_INTEGER)).map(({ seq }) => seq),
          ),
        ),
      close: () => store.close(),
    }
  })

/** The usual limit: lines of all sessions in one file, one asynchronous sync for whatever came meanwhile. */
const groupedFile = (sessions: number): BenchVariant =>
  variant(sessions, async (folder) => {
    const path = join(folder, 'log')
    const file = openSync(path, 'a')
    let lines: string[] = []
    let waiting: (() => void)[] = []
    let syncing = false
    const flush = () => {
      const done = waiting
      writeSync(file, lines.join(''))
      lines = []
      waiting = []
      syncing = true
      fdatasync(file, (error) => {
        if (error) throw error
        syncing = false
        for (const acknowledge of done) acknowledge()
        if (waiting.length > 0) setImmediate(flush)
      })
    }
    return {
      append: (session, event) =>
        new Promise((resolve) => {
          lines.push(`${session} ${JSON.stringify(event)}\n`)
          waiting.push(resolve)
          if (!syncing && waiting.length === 1) setImmediate(flush)
        }),
      readBack: async (count) => seqsInFile(path, count),
      close: async () => closeSync(file),
    }
  })

const syncedFile = (sessions: number): BenchVariant =>
  variant(sessions, async (folder) => {
    const path = join(folder, 'log')
    const file = openSync(path, 'a')
    return {
      async append(session, event) {
        writeSync(file, `${session} ${JSON.stringify(event)}\n`)
        fdatasyncSync(file)
      },
      readBack: async (count) => seqsInFile(path, count),
      close: async () => closeSync(file),
    }
  })

const sqlitePerEvent = (sessions: number): BenchVariant =>
  variant(sessions, async (folder) => {
    const db = new DatabaseSync(join(folder, 'log.sqlite'))
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE log (session INTEGER, seq INTEGER, body TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID`)
    const insert = db.prepare('INSERT INTO log VALUES (?, ?, ?)')
    return {
      async append(session, event) {
        insert.run(session, event.seq, JSON.stringify(event))
      },
      async readBack(count) {
        const select = db.prepare('SELECT seq FROM log WHERE session = ? ORDER BY seq')
        return Array.from({ length: count }, (_, n) => select.all(n).map(({ seq }) => Number(seq)))
      },
      close: async () => db.close(),
    }
  })

const seqsInFile = (path: string, sessions: number): number[][] => {
  const found: number[][] = Array.from({ length: sessions }, () => [])
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const space = line.indexOf(' ')
    if (space > 0) found[Number(line.slice(0, space))]!.push((JSON.parse(line.slice(space + 1)) as Event).seq)
  }
  return found
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!print(await append())) process.exitCode = 1
}
