// Required with any store: secrets, sandboxes and work folders are in the data folder, too.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { tryOr } from '@bridle/kernel/try-or'
import { isBusy } from './drivers/node-driver.ts'
import { DatabaseSync } from './drivers/sqlite-module.ts'
import { folderObstacle } from './folder-obstacle.ts'

/** A transaction on an empty database. The OS releases its file locks however the process ends, so they cannot be stale. */
export const lockFolder = (path: string): (() => void) => {
  for (const name of ['lock', 'owner']) makePrivate(join(path, name))
  const db = new DatabaseSync(join(path, 'lock'), { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
  } catch (cause) {
    db.close()
    if (!isBusy(cause)) throw cause
    // No cause: "database is locked" adds nothing but a second stack.
    throw new StoreFault('in_use', inUseText(path))
  }
  return () => db.close()
}

/** Names this process in the error that the next one gets. */
export const writeFolderOwner = (path: string): void => writeFileSync(join(path, 'owner'), `${process.pid}\n`)

const unusableText = (path: string, why: string): string =>
  `The folder ${path} cannot be used: ${why}. Choose another folder with the setting data (--data).`

export const makeFolder = (path: string): void => {
  const obstacle = folderObstacle(path)
  if (obstacle !== null) throw new StoreFault('refused', unusableText(path, obstacle))
  if (existsSync(path)) return tighten(path)
  makeLevels(path)
  // Until the parent is synced, a power cut could remove the new folder with all of its content.
  try {
    const parent = openSync(dirname(path), 'r')
    fsyncSync(parent)
    closeSync(parent)
  } catch {
    // Windows cannot sync a folder.
  }
}

/** Removes other users' access, except to folders with unrelated files or a sticky bit. Under root, engine users may traverse it. */
const tighten = (path: string): void => {
  const { mode } = statSync(path)
  if (process.platform === 'win32' || (mode & 0o066) === 0 || (mode & 0o1000) !== 0 || !isOurs(readdirSync(path)))
    return
  try {
    chmodSync(path, mode & (process.getuid?.() === 0 ? 0o701 : 0o700))
  } catch {
    // Owned by another user. The files in it are private anyway.
  }
}

const isOurs = (names: readonly string[]): boolean =>
  names.length === 0 || (names.includes('lock') && names.includes('owner'))

/** Level by level: `recursive` loops forever on file systems such as /proc, which report ENOENT when they refuse folders. */
const makeLevels = (path: string): void => {
  if (existsSync(path)) return
  makeLevels(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Lost a race with another process.
    if (code === 'EEXIST' && existsSync(path)) return
    if (code !== 'ENOENT') throw error
    throw new StoreFault('refused', unusableText(path, `${dirname(path)} takes no folders`), error)
  }
}

/** SQLite's default would let every user read conversations. Files that it creates later inherit this mode. */
export const makePrivate = (file: string): void => {
  try {
    // Never open an existing file: closing it would drop this process's locks on it.
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const inUseText = (path: string): string => {
  const pid = ownerPid(path)
  const [owner, remedy] =
    pid === String(process.pid)
      ? ['another harness of this process', 'Close that one']
      : [`another process${pid && ` (pid ${pid})`}`, 'Stop that process']
  return `${path} is in use by ${owner}. ${remedy} first, or choose another folder with the setting data (--data).`
}

const ownerPid = (path: string): string => tryOr('', () => readFileSync(join(path, 'owner'), 'utf8').trim())
