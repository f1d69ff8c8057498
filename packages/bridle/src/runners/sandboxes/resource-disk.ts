// The size of folders, measured by `du` in a process of its own: files come and go while it counts, and a walk through a
// million of them in this process would hold everything else up. Sparse files count what they occupy, other file systems
// that are mounted inside do not count, links are not followed. A folder that this user may not read is not counted.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export interface DiskMeasurement {
  /** Null: it was stopped, or `du` could not be run. */
  readonly bytes: Promise<number | 'timeout' | null>
  stop(): void
}

export const measureFolders = (folders: readonly string[], timeoutMs: number): DiskMeasurement => {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  // Complaints about files that vanished are normal, and so is the exit code that goes with them.
  const child = spawn('du', ['-skx', '--', ...folders], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let ending: 'timeout' | null | undefined
  const end = (outcome: 'timeout' | null) => {
    ending ??= outcome
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => end('timeout'), timeoutMs)
  child.once('error', () => end(null))
  const measure = async () => {
    const lines = (await text(child.stdout).catch(() => '')).split('\n')
    clearTimeout(timer)
    if (ending !== undefined) return ending
    const sizes = lines.flatMap((line) => /^(\d+)\t/.exec(line)?.[1] ?? [])
    return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + Number(size) * 1024, 0)
  }
  return { bytes: measure(), stop: () => end(null) }
}
