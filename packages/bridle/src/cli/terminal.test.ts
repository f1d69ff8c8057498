// What a terminal sees: `script` gives the command one. Where there is no such program, or another one by that name,
// these cases are skipped.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { scriptOf, Workspace } from './cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const program = 'script'
let work: Workspace
const opened: ChildProcess[] = []
beforeAll(async () => {
  work = new Workspace()
  await work.boot()
})
afterEach(() => {
  for (const each of opened.splice(0)) each.kill('SIGKILL')
})
afterAll(() => work.remove())

const terminal = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const quoted = [process.execPath, '--conditions=source', main, ...args].map((each) => `'${each}'`).join(' ')
  const child = spawn(program, ['-qec', quoted, '/dev/null'], {
    cwd: work.folder,
    env: { ...work.env, TERM: 'xterm', BRIDLE_URL: work.url, ...env },
  })
  opened.push(child)
  let screen = ''
  let look = () => {}
  child.stdout.on('data', (bytes) => {
    screen += bytes
    look()
  })
  return {
    screen: () => screen,
    type: (keys: string) => child.stdin.write(keys),
    until: (words: string) =>
      new Promise<void>((resolve) => {
        look = () => screen.includes(words) && resolve()
        look()
      }),
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
}

describe.skipIf(needs('script'))('on a terminal', () => {
  test.each([
    ['y', '✓ go approved', 0],
    ['no', '✗ go denied', 0],
  ])('[C9] run asks about an approval, and %s is an answer', async (answer, expected, code) => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }, { text: 'on' })], {
      NO_COLOR: '1',
    })
    await shown.until('Approve? [y/n] ')
    shown.type('perhaps\r')
    await shown.until('perhaps\r\n  Approve? [y/n] ')
    shown.type(`${answer}\r`)
    expect(await shown.ended).toBe(code)
    expect(shown.screen()).toContain(expected)
  })

  test('[C9] the question goes when somebody else has answered', async () => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }), '--id', 'else'])
    await shown.until('Approve? [y/n] ')
    const [open] = (await work.bridle(['approvals'])).stdout
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string })
    await work.bridle(['reject', 'else', open?.id ?? ''])
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toContain('go denied')
  })

  test('[C8] Ctrl+C at the question leaves it open and the run alive', async () => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }), '--id', 'later'])
    await shown.until('Approve? [y/n] ')
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
    expect(shown.screen()).toContain('The run goes on; see it by bridle attach later')
    expect((await work.bridle(['sessions', '--search', 'later'])).stdout).toContain('"awaiting_approval"')
  })

  test('[C3] colour, unless NO_COLOR', async () => {
    const steps = scriptOf({ tool: 'read', args: {}, result: 1 })
    const [bright, bare] = [
      terminal(['run', 'scripted', steps]),
      terminal(['run', 'scripted', steps], { NO_COLOR: '1' }),
    ]
    expect([await bright.ended, await bare.ended]).toEqual([0, 0])
    expect(bright.screen()).toContain('\u001b[34m●')
    expect(bare.screen()).not.toContain('\u001b[')
  })
})
