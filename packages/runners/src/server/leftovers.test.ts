// Processes that a turn leaves behind, and how far commands can reach their engine, with real processes.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { servantEngine } from '../engines/servant.suite.ts'
import type { IsolationPlan } from '../sandboxes/isolation/isolation-plan.ts'
import { caller, type RunReading } from './runner.suite.ts'
import { SandboxRunner } from './sandbox-runner.ts'

const missing = needs('bubblewrap')
const hasProc = process.platform === 'linux'
let folder: string
const started: SandboxRunner[] = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-leftovers-'))
  // Root's engines are another user, who passes through.
  chmodSync(folder, 0o711)
})
afterEach(() => Promise.all(started.splice(0).map((each) => each.close())))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

const start = async (backend: IsolationPlan['backend'], name: string) => {
  const at = join(folder, name)
  mkdirSync(at, { mode: 0o711 })
  const plan = { backend, folder: join(at, 'run'), programs: join(folder, 'programs'), readOnly: [], hidden: [] }
  const runner = await SandboxRunner.start({
    engines: [servantEngine()],
    workFolder: join(at, 'work'),
    stateFolder: join(at, 'state'),
    isolation: plan,
    env: { ANTHROPIC_API_KEY: 'k' },
  })
  started.push(runner)
  const runs = caller(runner.url)
  let resume: string | undefined
  let turn = 0
  const play = async (prompt: string): Promise<{ result: string; notices: string[] }> => {
    turn += 1
    const reading: RunReading = await runs.query({ requestId: `${name}-${turn}`, prompt, ...(resume && { resume }) })
    const end = await reading.end
    if (end?.type !== 'run.completed') throw new Error(JSON.stringify(end))
    resume = end.resume
    const notices = reading.events().flatMap((event) => (event.type === 'context.warning' ? [event.message] : []))
    return { result: end.result ?? '', notices }
  }
  return { play, work: join(at, 'work') }
}

/** Without an environment, in a session of its own, and starting a next program all the time; then one that its shell left. */
const HIDING = [
  'setsid env -i /bin/sh -c "while :; do echo x >> ticks; sleep 0.05; done" > /dev/null 2>&1 &',
  'nohup sleep 1000 > /dev/null 2>&1 &',
]
/** The process has another parent from its first moment on: without walls, nothing tells whose it is. */
const ORPHAN = '(setsid env -i /bin/sh -c "exec sleep 1000" > /dev/null 2>&1 &) &'

const backends = [
  ['bubblewrap', [...HIDING, ORPHAN], missing],
  ['process', HIDING, hasProc ? null : 'there is no /proc'],
] as const

describe.each(backends)('with %s', (backend, hiding, reason) => {
  test.skipIf(reason !== null)('[R24] nothing outlives its turn but the engine, and the turn says so', async () => {
    const boxes = await Promise.all(['a', 'b', 'c'].map((name) => start(backend, `${backend}-${name}`)))
    const [first] = boxes as [(typeof boxes)[number], ...typeof boxes]
    const engine = 'ps -o ppid= -p $$ | tr -d " "'
    // Long enough for the watch of an engine without walls to see each of them once.
    const left = await Promise.all(boxes.map(({ play }) => play([...hiding, 'sleep 2.5', engine].join('\n'))))
    expect(left.map(({ notices }) => notices)).toEqual(
      Array(3).fill([`${hiding.length} background commands were stopped when the turn ended.`]),
    )
    const ticks = () => boxes.map(({ work }) => readFileSync(join(work, 'ticks'), 'utf8').length)
    const before = ticks()
    const next = await Promise.all(boxes.map(({ play }) => play(`sleep 0.5; ${engine}`)))
    // The engine is the same process as before.
    expect(next).toEqual(left.map(({ result }) => ({ result, notices: [] })))
    expect(ticks()).toEqual(before)
    expect((await first.play('sleep 1000 > /dev/null 2>&1 &')).notices).toEqual([
      '1 background command was stopped when the turn ended.',
    ])
  })
})

describe.skipIf(missing !== null)('in a sandbox', () => {
  test('[O145] commands cannot reach their engine: its memory, streams, environment and namespaces are closed', async () => {
    const { play } = await start('bubblewrap', 'closed')
    const look = (pid: number) =>
      [
        `ls /proc/${pid}/fd`,
        `cat /proc/${pid}/environ`,
        `cat /proc/${pid}/maps`,
        `readlink /proc/${pid}/exe`,
        `readlink /proc/${pid}/ns/pid`,
        `exec 3<>/proc/${pid}/mem`,
      ].map((command) => `(${command}) > /dev/null 2>&1 && echo "${command}"`)
    const { result } = await play(['tr "\\0" "\\n" < /proc/2/cmdline | sed -n 2p', ...look(1), ...look(2)].join('\n'))
    expect(result).toBe('-e\n')
    // A command is an ordinary process: debuggers work among commands.
    expect((await play('sleep 5 & readlink /proc/$!/exe')).result).toMatch(/^\/./)
    // All sessions share the copy.
    expect(readdirSync(join(folder, 'programs')).filter((name) => name.startsWith('node'))).toHaveLength(1)
  })
})
