// Empty folders at paths where an agent must put nothing: a mount needs a mount point, and git ignores an empty folder. Each is removed
// with the last lease on it; leases of killed processes do not count.
import { createHash, randomBytes } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { readJson } from '../../process/json-file.ts'
import { startTimeOf } from '../../process/process-table.ts'

/** Placeholders that are still mounted when their sandbox has ended are looked at again this often, for three seconds: its last processes are ending. */
const SWEEP_MS = 300
const SWEEP_TRIES = 10

/** The time of change by which a placeholder is told from an empty folder of a person. */
const MARK = new Date('2001-02-03T04:05:06Z')

/** True for an empty folder that some sandbox made, of this server or another one. */
export const isPlaceholder = (path: string): boolean =>
  tryOr(false, () => {
    const found = lstatSync(path)
    return found.isDirectory() && found.mtimeMs === MARK.getTime() && readdirSync(path).length === 0
  })

/** Makes placeholders, and returns a function that gives them up. `leases` is a folder of the server's data. */
export const holdPlaceholders = (leases: string, paths: readonly string[]): (() => void) => {
  const held = paths.map((path) => {
    const folder = join(leases, createHash('sha256').update(path).digest('hex').slice(0, 32))
    const lease = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`)
    // The lease comes first: a placeholder without one would stay after a kill.
    writeLease(folder, lease, { path, pid: process.pid, startedAt: startTimeOf(process.pid) })
    makePlaceholder(path)
    return { folder, lease, path }
  })
  return () => {
    let isMounted = false
    for (const { folder, lease, path } of held.splice(0)) {
      rmSync(lease, { force: true })
      isMounted = removeUnused(folder, path) === 'mounted' || isMounted
    }
    // The processes of a sandbox that was killed end a moment after it.
    if (isMounted) sweepSoon(leases)
  }
}

/** Removes the placeholders of processes that were killed. */
export const sweepPlaceholders = (leases: string): void => {
  for (const name of namesIn(leases)) {
    const folder = join(leases, name)
    const [path] = namesIn(folder).flatMap((each) => readLease(join(folder, each))?.path ?? [])
    if (path !== undefined) removeUnused(folder, path)
  }
}

const sweepSoon = (leases: string, tries = SWEEP_TRIES): void => {
  if (tries === 0 || namesIn(leases).length === 0) return
  setTimeout(() => {
    sweepPlaceholders(leases)
    sweepSoon(leases, tries - 1)
  }, SWEEP_MS).unref()
}

interface Lease {
  readonly path: string
  readonly pid: number
  readonly startedAt: string | null
}

const isLive = ({ pid, startedAt }: Lease): boolean => startedAt !== null && startTimeOf(pid) === startedAt

const writeLease = (folder: string, file: string, lease: Lease): void => {
  // The last holder may remove the folder in between.
  for (let tries = 0; ; tries++) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fresh = `${folder}-${basename(file)}`
    writeFileSync(fresh, JSON.stringify(lease), { mode: 0o600 })
    try {
      // Another process must not read half of it.
      return renameSync(fresh, file)
    } catch (error) {
      rmSync(fresh, { force: true })
      if (tries === 5) throw error
    }
  }
}

const readLease = (file: string): Lease | null => readJson(file) as Lease | null

const makePlaceholder = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o755 })
    utimesSync(path, MARK, MARK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** A folder of leases can be removed only while it is empty, so one process alone is the last. */
const removeUnused = (folder: string, path: string): 'mounted' | 'used' | 'removed' => {
  for (const file of namesIn(folder).map((name) => join(folder, name))) {
    const lease = readLease(file)
    if (lease !== null && isLive(lease)) return 'used'
    rmSync(file, { force: true })
  }
  // A sandbox of another server: the kernel would take the mount away together with its folder.
  if (isMountedElsewhere(path)) {
    writeLease(folder, join(folder, 'later'), { path, pid: 0, startedAt: null })
    return 'mounted'
  }
  try {
    rmdirSync(folder)
    if (isPlaceholder(path)) rmdirSync(path)
  } catch {
    // Another sandbox needs it, or a person has put something there.
  }
  return 'removed'
}

/** Whether a process in another mount namespace has something mounted at this path. */
const isMountedElsewhere = (path: string): boolean => {
  const seen = new Set([namespaceOf('self')])
  return namesIn('/proc').some((pid) => {
    const namespace = /^\d+$/.test(pid) ? namespaceOf(pid) : null
    if (namespace === null || seen.has(namespace)) return false
    seen.add(namespace)
    return mountPoints(pid).includes(path)
  })
}

const namespaceOf = (pid: string): string | null => tryOr(null, () => readlinkSync(`/proc/${pid}/ns/mnt`))

const mountPoints = (pid: string): readonly string[] => {
  try {
    // The fifth field, in which spaces and such are written as `\040`.
    const paths = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
    return paths.map((each) =>
      each.replaceAll(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8))),
    )
  } catch {
    return []
  }
}

export const namesIn = (folder: string): string[] => tryOr([], () => readdirSync(folder))
