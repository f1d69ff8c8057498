import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { fromPs, startTimeOf } from './process-table.ts'
import { endProcesses, processStatus, SANDBOX_VARIABLE } from './sandbox-processes.ts'

const started: ChildProcess[] = []
const sleeper = (id: string, script = 'exec sleep 600') => {
  const env = { PATH: process.env.PATH, [SANDBOX_VARIABLE]: id }
  const child = spawn('/bin/sh', ['-c', script], { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  started.push(child)
  return child as ChildProcess & { pid: number }
}
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

test('a process is itself until it ends', async () => {
  const child = sleeper('box-a')
  const name = { pid: child.pid, startedAt: startTimeOf(child.pid) }
  expect(processStatus(name)).toBe('alive')
  expect(await endProcesses(name, 'box-a', 5_000)).toBe(true)
  expect(processStatus(name)).toBe('gone')
})

test('a number that is somebody else by now is left alone', async () => {
  const child = sleeper('box-b')
  const reused = { pid: child.pid, startedAt: 'another time' }
  expect(processStatus(reused)).toBe('gone')
  expect(await endProcesses(reused, 'box-x', 100)).toBe(true)
  expect(processStatus({ pid: child.pid, startedAt: startTimeOf(child.pid) })).toBe('alive')
})

describe.skipIf(!existsSync('/proc/self/environ'))('where /proc tells environments', () => {
  test('what a sandbox left behind goes too, though its first process is gone and it has a group of its own', async () => {
    const child = sleeper('box-c', 'setsid sleep 600 & echo $!; wait')
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    const left = Number(line.toString())
    const name = { pid: child.pid, startedAt: startTimeOf(child.pid) }
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect([processStatus(name), startTimeOf(left) !== null]).toEqual(['gone', true])
    expect(await endProcesses(name, 'box-c', 5_000)).toBe(true)
    expect(startTimeOf(left)).toBe(null)
  })
})

test('where there is no /proc, ps tells the time', async () => {
  const child = sleeper('box-d')
  const time = fromPs(child.pid)
  expect([time, fromPs(child.pid), fromPs(2 ** 22 + 1)]).toEqual([expect.stringMatching(/\d\d:\d\d:\d\d/), time, null])
})
