// The write-ahead log of a killed process, whole and in every state of disrepair.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkWal } from './wal-check.ts'

const FRAME = 24 + 4096
const COMMITS = 12
let folder: string
let db: DatabaseSync
let copies = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-wal-'))
  db = database('one')
  for (let n = 1; n <= COMMITS; n++) db.exec(`INSERT INTO t (text) VALUES ('commit ${n} ${'x'.repeat(n * 700)}')`)
})
afterAll(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

const database = (name: string): DatabaseSync => {
  const made = new DatabaseSync(join(folder, name))
  made.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
  return made
}

/** The files as kill -9 would leave them now. */
const killed = (name = 'one', parts = ['', '-wal', '-shm']): string => {
  const file = join(folder, `copy-${++copies}`)
  for (const part of parts) copyFileSync(join(folder, `${name}${part}`), `${file}${part}`)
  return file
}

const edit = (file: string, change: (wal: Buffer) => void): void => {
  const wal = readFileSync(`${file}-wal`)
  change(wal)
  writeFileSync(`${file}-wal`, wal)
}
const flip = (file: string, at: number): void =>
  edit(file, (wal) => {
    wal[at]! ^= 4
  })
const at = (frame: number, offset = 0): number => 32 + (frame - 1) * FRAME + offset
const frames = (file: string): number => Math.floor((statSync(`${file}-wal`).size - 32) / FRAME)
const rows = (file: string): number => {
  const opened = new DatabaseSync(file)
  const { n } = opened.prepare('SELECT count(*) AS n FROM t').get() as { n: number }
  opened.close()
  return n
}
/** The frames that end a transaction. */
const commitFrames = (file: string): number[] => {
  const wal = readFileSync(`${file}-wal`)
  return Array.from({ length: frames(file) }, (_, index) => index + 1).filter((n) => wal.readUInt32BE(at(n, 4)) > 0)
}

describe('[O32] a log that a kill or a power cut can leave is not named', () => {
  test.each([
    ['whole', ['', '-wal', '-shm']],
    ['whole, without its index', ['', '-wal']],
    ['no log at all', ['']],
  ])('%s', (_name, parts) => {
    const file = killed('one', parts)
    expect(checkWal(file)).toBeNull()
    expect(existsSync(`${file}-wal`)).toBe(parts.includes('-wal'))
  })

  test.each([
    ['a garbled index', (file: string) => writeFileSync(`${file}-shm`, Buffer.alloc(32_768, 7))],
    ['an index cut short', (file: string) => truncateSync(`${file}-shm`, 60)],
    [
      'half a frame behind the last commit',
      (file: string) => edited(file, (wal) => [wal, wal.subarray(at(1), at(1) + 999)]),
    ],
    [
      'a frame whose page did not arrive',
      (file: string) => edited(file, (wal) => [wal, wal.subarray(at(1), at(1) + 24), Buffer.alloc(4096)]),
    ],
    ['zeros where the next frames would be', (file: string) => edited(file, (wal) => [wal, Buffer.alloc(5 * FRAME)])],
    [
      'commits of an older salt behind the newest',
      (file: string) =>
        edited(file, (wal) => {
          const older = Buffer.from(wal.subarray(32))
          for (let frame = 0; frame < frames(file); frame++) older[frame * FRAME + 9]! ^= 1
          return [wal, older]
        }),
    ],
    [
      'a header that was never finished',
      (file: string) => {
        writeFileSync(`${file}-wal`, 'abc')
        rmSync(`${file}-shm`)
      },
    ],
  ])('%s', (_name, change) => {
    const file = killed()
    change(file)
    expect(checkWal(file)).toBeNull()
  })

  test('the last transaction torn anywhere, where no index says that it was acknowledged', () => {
    const last = commitFrames(killed()).slice(-2)
    for (let frame = last[0]! + 1; frame <= last[1]!; frame++) {
      const file = killed('one', ['', '-wal'])
      truncateSync(`${file}-wal`, at(frame, 2000))
      expect(checkWal(file)).toBeNull()
      expect(rows(file)).toBe(COMMITS - 1)
    }
  })

  test('a transaction in progress, rolled back, and a shorter one over its frames', () => {
    const spilling = database('spill')
    spilling.exec('PRAGMA cache_size = 5')
    const write = (rows: number) => {
      for (let n = 0; n < rows; n++) spilling.exec(`INSERT INTO t (text) VALUES ('${'y'.repeat(9_000)}')`)
    }
    spilling.exec('BEGIN')
    write(40)
    const before = killed('spill')
    expect(frames(before)).toBeGreaterThan(30)
    spilling.exec('ROLLBACK')
    write(1)
    const after = killed('spill')
    spilling.close()
    for (const file of [before, after]) {
      expect(checkWal(file)).toBeNull()
      rmSync(`${file}-shm`)
      expect(checkWal(file)).toBeNull()
    }
  })

  test('one that was checkpointed, reused, truncated, closed', () => {
    const used = database('used')
    const insert = () => used.exec(`INSERT INTO t (text) VALUES ('${'z'.repeat(9_000)}')`)
    for (let n = 0; n < 5; n++) insert()
    used.exec('PRAGMA wal_checkpoint(PASSIVE)')
    expect(checkWal(killed('used'))).toBeNull()
    insert()
    const reused = killed('used')
    expect(checkWal(reused)).toBeNull()
    expect(commitFrames(reused).length).toBeGreaterThan(3)
    used.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(checkWal(killed('used'))).toBeNull()
    used.close()
    expect(checkWal(join(folder, 'used'))).toBeNull()
  })
})

describe('[O32] commits that were acknowledged and will be ignored are named', () => {
  test.each([
    ['a bit of a page', 24 + 777],
    ['a bit of the salt', 9],
    ['a bit of the checksum', 17],
    ['the page number', 3],
  ])('%s, in any frame; without an index where a commit lies behind it', (_name, offset) => {
    const whole = killed()
    const commits = commitFrames(whole)
    for (let frame = 1; frame <= frames(whole); frame += 3) {
      const file = killed()
      flip(file, at(frame, offset))
      const used = commits.filter((commit) => commit < frame).at(-1) ?? 0
      const behind = commits.filter((commit) => commit > frame).length
      expect(checkWal(file)).toMatchObject({ framesUsed: used, commitsLost: Math.max(1, behind) })
      rmSync(`${file}-shm`)
      expect(checkWal(file) !== null).toBe(behind > 0)
      // SQLite does what the check says: it continues from the last valid commit without an error. The first commit is the table's.
      if (used > 0) expect(rows(file)).toBe(commits.indexOf(used))
    }
  })

  test.each([
    ['zeros in a frame', (file: string) => edit(file, (wal) => void wal.fill(0, at(5), at(6)))],
    ['zeros in many', (file: string) => edit(file, (wal) => void wal.fill(0, at(3), at(9)))],
    ['its header', (file: string) => flip(file, 17)],
  ])('%s', (_name, change) => {
    const file = killed()
    change(file)
    expect(checkWal(file)).toMatchObject({ file: `${file}-wal` })
    rmSync(`${file}-shm`)
    expect(checkWal(file)).toMatchObject({ file: `${file}-wal` })
  })

  test.each([
    ['cut between two frames', (file: string) => truncateSync(`${file}-wal`, at(7))],
    ['cut to nothing', (file: string) => truncateSync(`${file}-wal`, 0)],
    ['removed', (file: string) => rmSync(`${file}-wal`)],
  ])('%s: the index knows', (_name, change) => {
    const file = killed()
    change(file)
    expect(checkWal(file)).toMatchObject({ file: `${file}-wal`, commitsLost: 1 })
  })

  test('a single commit behind a hole is named, unless the index says that it was never acknowledged', () => {
    const [, before = 0, last = 0] = [0, ...commitFrames(killed()).slice(-2)]
    expect(last - before).toBeGreaterThan(1)
    const older = killed('one', ['-shm'])
    db.exec(`INSERT INTO t (text) VALUES ('one more ${'w'.repeat(9_000)}')`)
    const file = killed()
    flip(file, at(last + 1, 500))
    expect(checkWal(file)).not.toBeNull()
    copyFileSync(`${older}-shm`, `${file}-shm`)
    expect(checkWal(file)).toBeNull()
    rmSync(`${file}-shm`)
    expect(checkWal(file)).not.toBeNull()
  })
})

const edited = (file: string, change: (wal: Buffer) => readonly Buffer[]): void =>
  writeFileSync(`${file}-wal`, Buffer.concat(change(readFileSync(`${file}-wal`))))
