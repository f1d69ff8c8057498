// Inspects a data folder and its owner without changing anything.
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { folderObstacle } from '@bridle/stores/folder-obstacle'

export type DataFolderState =
  | { readonly state: 'absent' | 'free' }
  | { readonly state: 'owned'; readonly pid: string | null }
  | { readonly state: 'unusable'; readonly why: string }

export const inspectDataFolder = (folder: string): DataFolderState => {
  const path = resolve(folder)
  try {
    const why = folderObstacle(path)
    if (why !== null) return { state: 'unusable', why }
    if (!existsSync(path)) {
      const above = nearest(path)
      if (isPseudoFileSystem(above)) return { state: 'unusable', why: `${above} takes no folders` }
      accessSync(above, constants.W_OK | constants.X_OK)
      return { state: 'absent' }
    }
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    const lock = join(path, 'lock')
    return existsSync(lock) && isLocked(lock) ? { state: 'owned', pid: ownerIn(path) } : { state: 'free' }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { state: 'unusable', why: code === 'EACCES' || code === 'EROFS' ? 'it is not writable' : message }
  }
}

export const findDamagedLog = (folder: string): { readonly file: string; readonly at: Date } | null => {
  const file = join(resolve(folder), 'bridle.sqlite-wal.damaged')
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? { file, at: found.ctime } : null
}

/** Linux reports folders of `proc` and `sysfs` as writable for root, but they accept no files. */
const isPseudoFileSystem = (folder: string): boolean => PSEUDO_FILE_SYSTEMS.has(statfsSync(folder).type)

const PSEUDO_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x9f_a0, 0x62_65_65_72])

const nearest = (path: string): string => {
  const above = dirname(path)
  return existsSync(above) || above === path ? above : nearest(above)
}

/** A server holds a write transaction on the lock file. Probes by starting one and rolling back. */
const isLocked = (lock: string): boolean => {
  // Imported lazily: most commands check no folder.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const db = new DatabaseSync(lock, { timeout: 0 })
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch (error) {
    if ((error as { errcode?: number }).errcode === 5) return true
    throw error
  } finally {
    db.close()
  }
}

const ownerIn = (path: string): string | null => tryOr(null, () => readFileSync(join(path, 'owner'), 'utf8').trim())
