import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyOf, LoopWorld } from '@bridle/agents/loop/loop.suite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { mcp } from './mcp.ts'
import { ask, callerAgent, eventually, lastOutcome } from './mcp-world.suite.ts'
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
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = `/proc/${pid}/status`
  // A process that has ended stays a zombie until its parent asks for it.
  return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, 'utf8'))
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

test('[N139] a program that ignores everything ends with its connection, and its children too', async () => {
  const source = mcp(program('stubborn'), { idleMs: 0 })
  const it = new LoopWorld(callerAgent([source]))
  expect(await ask(it, 'local_echo {"text":"a"}')).toBe('a')
  expect(pids()).toHaveLength(2)
  await eventually(() => expect(pids().filter(isAlive)).toEqual([]))
})

test('[N139] kill -9 of the process that started it ends a program and its children', async () => {
  const script = `
    import { mcp } from '${new URL('./mcp.ts', import.meta.url)}'
    const source = mcp(${JSON.stringify(program('stubborn'))})
    const { tools } = await source.open({ sessionId: 's', tenant: 't', signal: new AbortController().signal })
    console.log(tools.length)
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  expect(pids().filter(isAlive)).toHaveLength(2)
  parent.kill('SIGKILL')
  await eventually(() => expect(pids().filter(isAlive)).toEqual([]))
})

test('[N139] an idle program does not keep its process alive', async () => {
  const script = `
    import { mcp } from '${new URL('./mcp.ts', import.meta.url)}'
    const source = mcp(${JSON.stringify(program('good'))}, { idleMs: 600000 })
    const opened = await source.open({ sessionId: 's', tenant: 't', signal: new AbortController().signal })
    opened.close()
    console.log(opened.tools.length)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [code] = await new Promise<[number | null]>((resolve) => parent.once('exit', (status) => resolve([status])))
  expect(code).toBe(0)
  await eventually(() => expect(pids().filter(isAlive)).toEqual([]))
})

test.each([
  ['die', 'mcp_connection_lost', /has ended \(3\)/],
  ['flood', 'mcp_flood', /more than a client takes/],
  ['broken', 'mcp_bad_message', /not one of the protocol/],
])(
  '[N140] [N141] a program that answers a call with %s: the outcome says so, and a new one is started',
  async (tool, reason, error) => {
    const it = new LoopWorld(callerAgent([mcp(program('good'), { idleMs: 0 })]))
    const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
    await ask(it, `local_${tool}`, keys[0])
    expect(await lastOutcome(it, keys[0])).toEqual({ status: 'error', reason, error: expect.stringMatching(error) })
    const results = await Promise.all(keys.map((key) => ask(it, `local_echo {"text":"${key.id}"}`, key)))
    expect(results).toEqual(['a', 'b', 'c'])
    await eventually(() => expect(pids().filter(isAlive)).toEqual([]))
  },
)

test.each<[string, object, RegExp]>([
  ['is not there', { command: '/no/such/program' }, /has ended \(127\).*not found/],
  ['starts in no folder', { ...fixtureProgram('good', '.'), cwd: '/no/such/folder' }, /does not start/],
  ['ends at once', { command: process.execPath, args: ['--eval', 'process.exit(5)'] }, /has ended \(5\)/],
])('[N140] a program that %s fails the run with a reason', async (_name, server, message) => {
  const it = new LoopWorld(callerAgent([mcp({ name: 'local', ...server } as never)]))
  await it.submit('local_echo')
  await eventually(async () => expect(await it.payloads('error')).toHaveLength(1))
  expect((await it.payloads('error'))[0]).toMatchObject({
    reason: 'tool_source_failed',
    message: expect.stringMatching(message),
  })
})

test('[N140] a program that hangs at its start is given up with the run, and ended', async () => {
  const it = new LoopWorld(callerAgent([mcp(program('silent'), { idleMs: 0 })]))
  await it.submit('local_echo')
  await eventually(() => expect(pids().filter(isAlive)).toHaveLength(1))
  await it.clock.pass(60_001)
  await eventually(async () => expect(await it.payloads('error')).toHaveLength(1))
  expect((await it.payloads('error'))[0]).toMatchObject({ message: expect.stringContaining('60000 ms are over') })
  await eventually(() => expect(pids().filter(isAlive)).toEqual([]))
})

test('[N135] [N140] a crash in the middle of a call: unsafe is asked about, and what a trusted server calls a reading is repeated', async () => {
  const unsafe = callerAgent([mcp(program('good'), { idleMs: 0 })])
  const trusted = callerAgent([mcp({ ...program('good'), name: 'known' }, { trusted: true, idleMs: 0 })], 'trusted')
  const agents = { tested: unsafe, trusted }
  const it = new LoopWorld(agents)
  const keys = [keyOf('a'), keyOf('b'), keyOf('c', 'trusted')]
  const prompts = ['local_echo {"text":"a"}', 'local_echo {"text":"b"}', 'known_echo {"text":"c"}']
  // The process ends when all intents are in the log, and before any outcome is.
  it.log.before = (append) => (JSON.stringify(append).includes('tool_outcome') ? new Promise(() => {}) : undefined)
  for (const [index, key] of keys.entries()) await it.submit(prompts[index] ?? '', key)
  for (const key of keys) await eventually(async () => expect(await it.payloads('tool_call', key)).toHaveLength(1))
  const next = await it.again()
  await eventually(async () => expect(await next.result(keys[2])).toBe('"c"'))
  for (const key of keys.slice(0, 2))
    await eventually(async () => expect(await next.payloads('approval_required', key)).toHaveLength(1))
  await next.approve('approved', undefined, keys[0])
  await next.approve('denied', undefined, keys[1])
  await eventually(async () => expect(await next.result(keys[0])).toBe('"a"'))
  expect(await next.payloads('approval_required', keys[2])).toEqual([])
  expect((await next.payloads('tool_outcome', keys[1])).map(({ status }) => status)).not.toContain('ok')
})
