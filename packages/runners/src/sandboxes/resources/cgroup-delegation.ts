// Finds the cgroup below which this server may make others. The kernel allows processes or limits for children in one
// cgroup, never both: a cgroup that holds this process alone is made ready by moving the process one level down.
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { systemText } from '../../process/process-table.ts'

export interface DelegationOptions {
  readonly root?: string
  readonly procSelfCgroup?: string
  /** A cgroup that an operator made for us, as a path below the root or a whole path. */
  readonly named?: string
  readonly pid?: number
}

const CONTROLLERS = ['memory', 'pids']
/** The cgroup into which this server's process moves. */
const LEAF = 'bridle-server'

/** Null: there is no such cgroup, and processes have to be counted. */
export const findDelegatedCgroup = (options: DelegationOptions = {}): string | null => {
  const { root = '/sys/fs/cgroup', procSelfCgroup = '/proc/self/cgroup', named, pid = process.pid } = options
  if (!hasControllers(root, 'cgroup.controllers')) return null
  if (named !== undefined) {
    const folder = isAbsolute(named) && `${named}/`.startsWith(`${root}/`) ? named : join(root, named)
    return isReady(folder) && canMakeChild(folder) ? folder : null
  }
  // Version 2 is the line with number 0 and no controllers. A path that leads up lies outside of what we see.
  const own = /^0::(\/.*)$/m.exec(systemText(procSelfCgroup))?.[1]
  if (own === undefined || own.split('/').includes('..')) return null
  const folder = join(root, own).replace(/\/+$/, '')
  // Another process of this server may have made it ready before.
  const candidate = basename(folder) === LEAF ? dirname(folder) : folder
  if (isReady(candidate)) return canMakeChild(candidate) ? candidate : null
  return prepare(candidate, pid) ? candidate : null
}

const isReady = (folder: string): boolean => hasControllers(folder, 'cgroup.subtree_control')

const hasControllers = (folder: string, file: string): boolean => {
  const names = systemText(join(folder, file)).trim().split(/\s+/)
  return CONTROLLERS.every((name) => names.includes(name))
}

const canMakeChild = (folder: string): boolean => {
  const probe = join(folder, `bridle-probe-${process.pid}`)
  return attempt(() => mkdirSync(probe)) && attempt(() => rmdirSync(probe))
}

/** Only where this process is alone in the cgroup: the server must not move others. */
const prepare = (folder: string, pid: number): boolean => {
  const processes = systemText(join(folder, 'cgroup.procs')).trim().split(/\s+/)
  if (!hasControllers(folder, 'cgroup.controllers') || processes.join() !== `${pid}`) return false
  const leaf = join(folder, LEAF)
  if (!attempt(() => mkdirSync(leaf, { recursive: true }))) return false
  const isMoved = attempt(() => writeFileSync(join(leaf, 'cgroup.procs'), `${pid}`))
  const change = CONTROLLERS.map((name) => `+${name}`).join(' ')
  if (isMoved && attempt(() => writeFileSync(join(folder, 'cgroup.subtree_control'), change))) {
    return canMakeChild(folder)
  }
  if (isMoved) attempt(() => writeFileSync(join(folder, 'cgroup.procs'), `${pid}`))
  attempt(() => rmdirSync(leaf))
  return false
}

const attempt = (work: () => void): boolean =>
  tryOr(false, () => {
    work()
    return true
  })
