// The size of folders, measured by `du`: a walk through a million files in this process would block everything else. Sparse files count
// what they occupy; other mounted file systems and links do not count.
import { spawn } from 'node:child_process'
import { opendirSync, readlinkSync, statSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { ProcessEntry } from '../../process/process-table.ts'

/** 256 processes with 80 open files each. A process may open a million, and reading them all would block the server. */
const OPEN_FILES_MAX = 20_000

export interface DiskMeasurement {
  /** Null: it was stopped, or `du` could not be run. */
  readonly bytes: Promise<number | 'timeout' | null>
  stop(): void
}

/** An agent can make a folder unreadable and go on to fill it. In its own user namespace `du` reads all files of this user. */
const READS_ALL = [
  '--die-with-parent',
  '--unshare-user',
  '--uid',
  '0',
  '--gid',
  '0',
  '--cap-add',
  'CAP_DAC_READ_SEARCH',
  '--ro-bind',
  '/',
  '/',
]

export const measureFolders = (folders: readonly string[], timeoutMs: number): DiskMeasurement => {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const plain = ['du', '-skx', '--', ...folders]
  const commands = process.getuid?.() === 0 ? [plain] : [['bwrap', ...READS_ALL, '--', ...plain], plain]
  let ending: 'timeout' | null | undefined
  let kill = () => {}
  const end = (outcome: 'timeout' | null) => {
    ending ??= outcome
    kill()
  }
  const timer = setTimeout(() => end('timeout'), timeoutMs)
  const run = async ([program = '', ...args]: readonly string[]): Promise<number[]> => {
    // `du` complains about files that vanish meanwhile, and exits with an error code: both are normal.
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] }).on('error', () => {})
    kill = () => void child.kill('SIGKILL')
    const lines = (await text(child.stdout).catch(() => '')).split('\n')
    return lines.flatMap((line) => /^(\d+)\t/.exec(line)?.[1] ?? []).map(Number)
  }
  const measure = async () => {
    let sizes: number[] = []
    // Without bubblewrap plain `du` measures what this user can read.
    for (const command of commands) if (sizes.length === 0 && ending === undefined) sizes = await run(command)
    clearTimeout(timer)
    if (ending !== undefined) return ending
    return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size * 1024, 0)
  }
  return { bytes: measure(), stop: () => end(null) }
}

export interface UnlinkedFileBytes {
  readonly memoryBytes: number
  readonly diskBytes: number
}

/** Files that were removed while open, or made in memory (memfd): neither `du` nor the size of a process shows them. */
export const unlinkedFileBytes = (entries: readonly ProcessEntry[]): UnlinkedFileBytes => {
  const found = new Map<string, { readonly isMemory: boolean; readonly bytes: number }>()
  let left = OPEN_FILES_MAX
  for (const { folder } of entries) {
    if (left <= 0) break
    left -= eachOpenFile(`${folder}/fd`, left, (file) => {
      const status = statSync(file)
      if (status.nlink > 0 || !status.isFile()) return
      // The same file may be open in many processes.
      const isMemory = readlinkSync(file).startsWith('/memfd:')
      found.set(`${status.dev}/${status.ino}`, { isMemory, bytes: status.blocks * 512 })
    })
  }
  const sum = (ofMemory: boolean) =>
    [...found.values()].reduce((total, { isMemory, bytes }) => total + (isMemory === ofMemory ? bytes : 0), 0)
  return { memoryBytes: sum(true), diskBytes: sum(false) }
}

/** Returns the number of open files. */
const eachOpenFile = (folder: string, max: number, look: (file: string) => void): number => {
  let count = 0
  try {
    const list = opendirSync(folder)
    try {
      for (let entry = list.readSync(); entry !== null && count < max; entry = list.readSync()) {
        count++
        try {
          look(`${folder}/${entry.name}`)
        } catch {
          // The process closed the file meanwhile.
        }
      }
    } finally {
      list.closeSync()
    }
  } catch {
    // The process has ended, or belongs to another user.
  }
  return count
}
