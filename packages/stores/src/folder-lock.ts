// A data folder is for one process at a time, whatever store it uses: secrets, sandboxes and work folders are in it as well.
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

/**
 * A write transaction on an empty database, held open. SQLite's file locks belong to the process, so the kernel drops
 * this one however the process ends: there is no stale lock, and the file that stays behind means nothing.
 */
export const lockFolder = (path: string): (() => void) => {
  for (const name of ['lock', 'owner']) makePrivate(join(path, name))
  const db = new DatabaseSync(join(path, 'lock'), { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
  } catch (cause) {
    db.close()
    if (!isBusy(cause)) throw cause
    // Without the cause: SQLite's "database is locked" says less, and would put a second stack below this message.
    throw new StoreFault('in_use', inUseText(path))
  }
  return () => db.close()
}

/** Names this process in the message that the next one is refused with. */
export const writeFolderOwner = (path: string): void => writeFileSync(join(path, 'owner'), `${process.pid}\n`)

const unusableText = (path: string, why: string): string =>
  `The folder ${path} cannot be used: ${why}. Choose another folder with the setting data (--data).`

export const makeFolder = (path: string): void => {
  const obstacle = folderObstacle(path)
  if (obstacle !== null) throw new StoreFault('refused', unusableText(path, obstacle))
  if (existsSync(path)) return tighten(path)
  makeLevels(path)
  // A new folder is an entry in its parent; until that is synced, a power cut takes the folder and all that is in it.
  try {
    const parent = openSync(dirname(path), 'r')
    fsyncSync(parent)
    closeSync(parent)
  } catch {
    // Windows cannot sync a folder.
  }
}

/**
 * An existing data folder may be readable by other users. A folder with unrelated files, or with a sticky bit such as /tmp, keeps its mode.
 * Under root it stays traversable, because engines run as another user.
 */
const tighten = (path: string): void => {
  const { mode } = statSync(path)
  if (process.platform === 'win32' || (mode & 0o066) === 0 || (mode & 0o1000) !== 0 || !isOurs(readdirSync(path)))
    return
  try {
    chmodSync(path, mode & (process.getuid?.() === 0 ? 0o701 : 0o700))
  } catch {
    // A folder of another user, writable for this one. The files in it are private anyway.
  }
}

const isOurs = (names: readonly string[]): boolean =>
  names.length === 0 || (names.includes('lock') && names.includes('owner'))

/**
 * Level by level: Node's own `recursive` tries again for ever where a file system has no folder and takes none, as /proc does. It says that
 * the folder is not there.
 */
const makeLevels = (path: string): void => {
  if (existsSync(path)) return
  makeLevels(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another process was faster.
    if (code === 'EEXIST' && existsSync(path)) return
    if (code !== 'ENOENT') throw error
    throw new StoreFault('refused', unusableText(path, `${dirname(path)} takes no folders`), error)
  }
}

/**
 * Only the owner of the folder may read conversations: left to SQLite, everybody might. The files that SQLite makes beside
 * the database have the database's mode. A file that exists keeps the mode that its operator chose.
 */
export const makePrivate = (file: string): void => {
  try {
    // An existing file is never opened: closing it again would drop this process's locks on it.
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

/** Empty = unknown. */
const ownerPid = (path: string): string => tryOr('', () => readFileSync(join(path, 'owner'), 'utf8').trim())
