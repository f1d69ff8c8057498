import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { newProcessMark } from './process-mark.ts'

describe.skipIf(!existsSync('/proc/self/environ'))('a mark, where there is /proc', () => {
  test('finds a process that left its group and its parent, and no other', async () => {
    const [ours, theirs] = [newProcessMark(), newProcessMark()]
    try {
      const [orphan, stranger] = [await start(ours.env), await start(theirs.env)]
      expect([isRunning(orphan), isRunning(stranger)]).toEqual([true, true])
      await ours.killProcesses()
      expect([isRunning(orphan), isRunning(stranger)]).toEqual([false, true])
    } finally {
      await theirs.killProcesses()
    }
  })

  test('spares those without the variable that is asked for', async () => {
    const mark = newProcessMark()
    try {
      const [command, plain] = [await start({ ...mark.env, CALL: '1' }), await start(mark.env)]
      await mark.killProcesses('CALL')
      expect([isRunning(command), isRunning(plain)]).toEqual([false, true])
    } finally {
      await mark.killProcesses()
    }
  })
})

/** A process whose parent has ended. */
const start = (env: Record<string, string>): Promise<number> =>
  new Promise((resolve) => {
    const parent = spawn('sh', ['-c', 'sleep 86413 >/dev/null & echo $!'], {
      env: { PATH: process.env.PATH, ...env },
      detached: true,
    })
    parent.stdout.on('data', (pid) => resolve(Number(pid)))
  })

const isRunning = (pid: number): boolean => {
  try {
    // A zombie has ended.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
