// An engine's commands lead process groups and sessions of their own, and outlive it when it is killed. All of them
// inherit its environment, so a mark in there finds them whoever their parent has become.
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

const NAME = 'BRIDLE_ENGINE_MARK'
/** A process may start another one while we look. */
const ROUNDS = 5
/** One that is killed ends soon, unless the kernel is busy with it. */
const ENDING_MS = 1_000

export interface Mark {
  readonly env: { readonly [NAME]: string }
  /**
   * Ends every process that carries it, or those of them with this variable too. Where there is no /proc, none is
   * found.
   */
  sweep(variable?: string): Promise<void>
}

export const newMark = (): Mark => {
  const value = randomUUID()
  return {
    env: { [NAME]: value },
    sweep: async (variable) => {
      for (let round = 0; round < ROUNDS; round++) {
        const found = await carrying(`${NAME}=${value}`, variable)
        if (found.length === 0) return
        for (const pid of found) kill(pid)
        await Promise.all(found.map(ended))
      }
    },
  }
}

const carrying = async (entry: string, variable?: string): Promise<number[]> => {
  const names = await readdir('/proc').catch(() => [])
  const looked = names
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      // Gone meanwhile, or somebody else's.
      const entries = (await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')).split('\0')
      const also = variable === undefined || entries.some((each) => each.startsWith(`${variable}=`))
      return also && entries.includes(entry) ? [Number(name)] : []
    })
  return (await Promise.all(looked)).flat().filter((pid) => pid !== process.pid)
}

const ended = async (pid: number): Promise<void> => {
  for (let waitedMs = 0; waitedMs < ENDING_MS; waitedMs += 5) {
    const state = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') X ')
    // Dead, or a zombie that waits for its parent.
    if (/\) [XZ] /.test(state)) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
