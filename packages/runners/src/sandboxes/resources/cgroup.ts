// Limits that the kernel keeps: a cgroup (version 2) per sandbox, below one that systemd (`Delegate=yes`) or a container delegated to
// this server. Memory and threads cannot exceed them even between two checks, and one write kills everything inside.
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { kill, systemText } from '../../process/process-table.ts'
import { type ExceededLimit, type ResourceLimits, threadsMax } from './resource-limits.ts'

export interface SandboxCgroup {
  readonly folder: string
  enterCommand(command: readonly string[]): string[]
  /** A limit that the kernel enforced since the cgroup was made. */
  exceeded(): ExceededLimit | null
  /** Null: the kernel reports no figures. */
  usage(): { readonly memoryBytes: number; readonly processes: number; readonly threads: number } | null
  /** Kills all processes at once, including those that start meanwhile. */
  kill(): void
  /** Kills the remaining processes. True = the cgroup is removed. */
  remove(timeoutMs?: number): Promise<boolean>
}

/** Throws where the kernel refuses; then nothing is left behind. */
export const makeSandboxCgroup = (parent: string, id: string, limits: ResourceLimits): SandboxCgroup => {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw new Error('A cgroup needs an id of letters, digits, - and _.')
  const folder = join(parent, `bridle-${id}`)
  const file = (name: string) => join(folder, name)
  mkdirSync(folder)
  try {
    writeFileSync(file('memory.max'), `${limits.memoryBytes}`)
    writeFileSync(file('pids.max'), `${threadsMax(limits)}`)
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  // Without swap the limit is one of memory; as a group, the kernel kills all of a sandbox and never a part. Older kernels
  // have neither.
  for (const [name, value] of Object.entries({ 'memory.swap.max': '0', 'memory.oom.group': '1' })) {
    try {
      writeFileSync(file(name), value)
    } catch {}
  }
  const kills = () => numberIn(file('memory.events'), 'oom_kill') + numberIn(file('memory.events'), 'oom_group_kill')
  const refusedForks = () => numberIn(file('pids.events'), 'max')
  const before = { kills: kills(), refusedForks: refusedForks() }

  const killAll = () => {
    try {
      writeFileSync(file('cgroup.kill'), '1', { flag: 'r+' })
    } catch {
      // Before Linux 5.14 one by one; `remove` looks again. 0 stands for a process that this one cannot name, and as a
      // number to kill it would mean our own group.
      for (const pid of numbersIn(file('cgroup.procs')).filter((pid) => pid > 0)) kill(pid)
    }
  }

  return {
    folder,
    // The shell joins before it becomes the command, so nothing of the command ever runs outside.
    enterCommand: (command) => ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder, ...command],
    exceeded() {
      // The kernel stops a cgroup at its limit, so the figure that it would have needed is not known.
      if (kills() > before.kills) return { resource: 'memory', used: null, limit: limits.memoryBytes }
      if (refusedForks() > before.refusedForks) return { resource: 'threads', used: null, limit: threadsMax(limits) }
      return null
    },
    usage() {
      const [memoryBytes] = numbersIn(file('memory.current'))
      const [threads] = numbersIn(file('pids.current'))
      if (memoryBytes === undefined || threads === undefined) return null
      return { memoryBytes, processes: numbersIn(file('cgroup.procs')).length, threads }
    },
    kill: killAll,
    async remove(timeoutMs = 5_000) {
      for (let waitedMs = 0; ; waitedMs += 20) {
        killAll()
        if (removeFolders(folder)) return true
        if (waitedMs >= timeoutMs) return false
        await sleep(20)
      }
    },
  }
}

/** Removes inner cgroups first. False: a process inside is still alive. */
const removeFolders = (folder: string): boolean => {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !removeFolders(join(folder, entry.name))) return false
    }
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

const numbersIn = (file: string): number[] =>
  systemText(file).split(/\s+/).filter(Boolean).map(Number).filter(Number.isSafeInteger)

/** The number behind a name, in a file with a name and a number per line. */
const numberIn = (file: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(systemText(file))?.[1] ?? 0)
