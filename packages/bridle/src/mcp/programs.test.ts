import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keyOf, LoopWorld } from '../agents/loop/loop.suite.ts'
import { mcp } from './mcp.ts'
import { ask, callerAgent, eventually } from './mcp-world.suite.ts'
import { fixtureProgram } from './program-fixture.suite.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-mcp-'))
})
afterEach(() => {
  for (const pid of pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true })
})

/** The processes of servers that were started, and of their children. */
const pids = (): number[] => readdirSync(folder).map((file) => Number.parseInt(file, 10))
const isAlive = (pid: number): boolean => {
  try {
    // A process that has ended stays a zombie until its parent asks for it.
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
const program = (mode: string) => ({ name: 'local', ...fixtureProgram(mode, folder) })

test('[N133] [N139] three sessions share one program, which ends after the last', async () => {
  vi.stubEnv('BRIDLE_TEST_SECRET', 'secret')
  const source = mcp({ ...program('good'), env: { GIVEN: 'yes' } }, { idleMs: 0 })
  const it = new LoopWorld(callerAgent([source]))
  const lease = await source.open({ sessionId: 's', tenant: 't', signal: new AbortController().signal })
  const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
  for (const turn of [1, 2]) {
    const results = await Promise.all(keys.map((key) => ask(it, `local_echo {"text":"${turn}${key.id}"}`, key)))
    expect(results).toEqual(keys.map(({ id }) => `${turn}${id}`))
  }
  expect(await ask(it, 'local_log', keys[1])).toBe('logged')
  const [pid = 0] = pids()
  expect([pids().length, isAlive(pid)]).toEqual([1, true])
  const env = JSON.parse(readFileSync(join(folder, `${pid}.pid`), 'utf8'))
  expect([env.GIVEN, env.PATH, env.BRIDLE_TEST_SECRET]).toEqual(['yes', process.env.PATH, undefined])
  await lease.close?.()
  await eventually(() => expect(isAlive(pid)).toBe(false))
})
