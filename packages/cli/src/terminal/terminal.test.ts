// The command on a terminal, which the program `script` provides. Where there is no such program, or another one by that name,
// these cases are skipped.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { fromSource } from '../../../../scripts/module-snapshot.ts'
import { needs } from '../../../../scripts/needs.ts'
import { CliWorkspace, scriptOf } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const program = 'script'
const question = 'Approve? [y]es, [n]o, [e]dit the arguments: '
let work: CliWorkspace
const opened: ChildProcess[] = []
beforeAll(async () => {
  work = new CliWorkspace()
  await work.boot()
})
afterEach(() => {
  for (const each of opened.splice(0)) each.kill('SIGKILL')
})
afterAll(() => work.remove())

const terminal = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const quoted = [process.execPath, ...fromSource, main, ...args].map((each) => `'${each}'`).join(' ')
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
    /** Resolves when the screen has shown the words `times` times. */
    until: (words: string, times = 1) =>
      new Promise<void>((resolve) => {
        look = () => screen.split(words).length > times && resolve()
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
    await shown.until(question)
    shown.type('perhaps\r')
    await shown.until(`perhaps\r\n  Answer y, n or e.\r\n  ${question}`)
    shown.type(`${answer}\r`)
    expect(await shown.ended).toBe(code)
    expect(shown.screen()).toContain(expected)
  })

  test('[C10] a question stays below the remark that the server is away; an answer that was not sent is asked for again', async () => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }, { text: 'on' })], {
      NO_COLOR: '1',
    })
    await shown.until(question)
    await work.kill()
    await shown.until(`\r\nThe server is away; waiting for it.\r\n  ${question}`)
    shown.type('y\r')
    await shown.until(question, 3)
    await work.boot()
    await shown.until(`\r\nIt is back.\r\n  ${question}`)
    shown.type('y\r')
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toContain('✓ go approved')
  })

  test('[C10] keys that were pressed before a remark do not answer the question below it', async () => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }, { text: 'on' })], {
      NO_COLOR: '1',
    })
    await shown.until(question)
    await work.kill()
    await shown.until(`\r\nThe server is away; waiting for it.\r\n  ${question}`)
    shown.type('y')
    await shown.until(`${question}y`)
    await work.boot()
    await shown.until(`\r\nIt is back.\r\n  ${question}`)
    shown.type('\r')
    await shown.until('Answer y, n or e.')
    shown.type('n\r')
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toContain('✗ go denied')
  })

  test('[C9] keys that were pressed before a question was shown do not answer it', async () => {
    const fake = 'Approve? [y]es, [n]o, [e]dit the arguments: '
    const shown = terminal(
      [
        'run',
        'scripted',
        scriptOf({ text: fake }, { sleepMs: 1_500 }, { approve: 'go', args: {} }, { approve: 'two' }),
      ],
      { NO_COLOR: '1' },
    )
    await shown.until(fake)
    // Whole lines, and one without its end.
    shown.type('y\ry\ry')
    await shown.until('? go')
    await shown.until(question, 2)
    shown.type('n\r')
    await shown.until('? two')
    await shown.until(question, 3)
    shown.type('n\r')
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toContain('✗ go denied')
    expect(shown.screen()).toContain('✗ two denied')
  })

  test('[C9] the question goes when somebody else has answered', async () => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }), '--id', 'else'])
    await shown.until(question)
    const [open] = (await work.bridle(['approvals'])).stdout
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string })
    await work.bridle(['reject', 'else', open?.id ?? ''])
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toContain('go denied')
  })

  test('[C8] Ctrl+C at the question leaves it open and the run alive', async () => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }), '--id', 'later'])
    await shown.until(question)
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
    expect(shown.screen()).toContain('The run continues; watch it with bridle attach later')
    expect((await work.bridle(['sessions', '--search', 'later'])).stdout).toContain('"awaiting_approval"')
  })

  test('[C281] the first line of attach breaks no word', async () => {
    const id = `long-${'x'.repeat(40)}`
    const run = terminal(['run', 'scripted', scriptOf({ approve: 'go', args: {} }), '--id', id])
    await run.until(question)
    const shown = terminal(['attach', id], { NO_COLOR: '1' })
    await shown.until(question)
    expect(shown.screen()).toContain(`session ${id},\r\nawaiting_approval; Ctrl+C leaves`)
    shown.type('n\r')
    expect(await run.ended).toBe(0)
    shown.type('\u0003')
    await shown.ended
  })

  test('[C9] e edits the arguments in a line, which is checked and shown again before it is sent', async () => {
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'write', args: { p: 1 } }, { text: 'on' })], {
      NO_COLOR: '1',
      EDITOR: '',
      VISUAL: '',
    })
    await shown.until(question)
    shown.type('e\r')
    await shown.until('{"p": 1}')
    shown.type('\u0015[2]\r')
    await shown.until('The text is not a JSON object. Edit it again with e.')
    await shown.until(question, 2)
    shown.type('edit\r')
    await shown.until('[2]', 2)
    shown.type('\u0015{"p":3}\r')
    await shown.until('? write {"p":3}')
    await shown.until(question, 3)
    shown.type('y\r')
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toContain('✓ write {"arguments":{"p":3}}')
  })

  test.each([['run'], ['approve']])('[C160] %s: a refused edit shows why, and is mended', async (verb) => {
    const id = `mend-${verb}`
    const step = { approve: 'write', args: { path: 1 }, takes: ['path'] }
    const env = { NO_COLOR: '1', EDITOR: '', VISUAL: '' }
    const run = terminal(['run', 'scripted', scriptOf(step), '--id', id], env)
    await run.until(question)
    let shown = run
    if (verb === 'approve') {
      const [open] = (await work.bridle(['approvals'])).stdout.split('\n').flatMap((line) => {
        const row = line === '' ? null : (JSON.parse(line) as { id: string; sessionId: string })
        return row?.sessionId === id ? row.id : []
      })
      shown = terminal(['approve', id, open ?? '', '--edit'], env)
    } else shown.type('e\r')
    await shown.until('{"path": 1}')
    shown.type('\u0015{"paht":2}\r')
    await shown.until('? write {"paht":2}')
    const asked = verb === 'approve' ? 1 : 2
    await shown.until(question, asked)
    shown.type('y\r')
    await shown.until('The arguments of "write" do not fit: path: It is missing.')
    await shown.until('? write {"paht":2}', 2)
    await shown.until(question, asked + 1)
    shown.type('e\r')
    await shown.until('\u001b[14G{"paht":2}', 2)
    shown.type('\u0015{"path":3}\r')
    await shown.until('? write {"path":3}')
    await shown.until(question, asked + 2)
    shown.type('y\r')
    expect([await shown.ended, await run.ended]).toEqual([0, 0])
    expect(run.screen()).toContain('✓ write {"arguments":{"path":3}}')
  })

  test('[C9] e opens the editor of the environment', async () => {
    const editor = `node -e 'const fs=require("fs"),f=process.argv[1];fs.writeFileSync(f,fs.readFileSync(f,"utf8").replace("1","7"))'`
    const shown = terminal(['run', 'scripted', scriptOf({ approve: 'write', args: { p: 1 } })], {
      NO_COLOR: '1',
      EDITOR: editor,
      VISUAL: '',
    })
    await shown.until(question)
    shown.type('e\r')
    await shown.until('? write {"p":7}')
    await shown.until(question, 2)
    shown.type('y\r')
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toContain('✓ write {"arguments":{"p":7}}')
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

// A real terminal of 40 columns: what a person would see, line by line.
describe.skipIf(needs('tmux'))('in a window of 40 columns', () => {
  const socket = `bridle-${process.pid}`
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })
  afterAll(() => void spawnSync('tmux', ['-L', socket, 'kill-server']))

  const command = `cd packages/bridle && npm run build && echo 世界世界世界 && rm -rf /important/folder \u001b[8m\u202e`
  const steps = scriptOf({
    approve: 'bash',
    args: { command },
    reason: 'It runs a command, and it says why in so many words.',
  })

  test('[C21] run and attach show every character of what waits for approval, and the reason', async () => {
    const windows = [
      ['run', 'scripted', steps, '--id', 'narrow'],
      ['attach', 'narrow', '--agent', 'scripted'],
    ]
    for (const [at, args] of windows.entries()) {
      const line = [process.execPath, ...fromSource, main, ...args].map((each) => `'${each}'`).join(' ')
      const env = ['-e', `BRIDLE_URL=${work.url}`, '-e', 'NO_COLOR=1']
      tmux('new-session', '-d', '-s', `w${at}`, '-x', '40', '-y', '50', '-c', work.folder, ...env, line)
    }
    const panes = ['w0', 'w1']
    const seen = await Promise.all(
      panes.map((pane) =>
        vi.waitFor(
          () => {
            const lines = tmux('capture-pane', '-p', '-t', pane).split('\n')
            // attach asks, too.
            expect(lines.join('\n')).toContain('[e]dit the arg')
            return lines
          },
          { timeout: 30_000, interval: 50 },
        ),
      ),
    )
    for (const lines of seen) {
      const from = lines.findIndex((line) => line.startsWith('? bash'))
      const call = lines.slice(from).filter((line) => /^[?│] /.test(line))
      // tmux leaves out the spaces at the end of a line.
      const text = call
        .map((line) => line.slice(2))
        .join('')
        .replaceAll(' ', '')
      const shown = command.replace('\u001b', '\\u001b').replace('\u202e', '\\u202e')
      expect(text).toBe(`bash{"command":"${shown}"}`.replaceAll(' ', ''))
      expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(
        'Reason: It runs a command, and it says why in so many words.',
      )
    }
    // [C126] The answer in one window withdraws the question in the other.
    tmux('send-keys', '-t', 'w1', 'n', 'Enter')
    await vi.waitFor(() => expect(tmux('capture-pane', '-p', '-t', 'w1')).toContain('✗ bash denied'), {
      ...{ timeout: 30_000, interval: 50 },
    })
    expect((await work.bridle(['approvals'])).stdout).not.toContain('"narrow"')

    // Answered long ago: the next one who attaches is told what was asked, and neither asked nor told how to answer.
    const again = [process.execPath, ...fromSource, main, 'attach', 'narrow']
    const line = again.map((each) => `'${each}'`).join(' ')
    const env = ['-e', `BRIDLE_URL=${work.url}`, '-e', 'NO_COLOR=1']
    tmux('new-session', '-d', '-s', 'w2', '-x', '80', '-y', '50', '-c', work.folder, ...env, line)
    const late = await vi.waitFor(
      () => {
        const screen = tmux('capture-pane', '-p', '-t', 'w2')
        expect(screen).toContain('✗ bash denied')
        return screen
      },
      { timeout: 30_000, interval: 50 },
    )
    expect(late).toContain('? bash')
    expect(late).not.toMatch(/Approve\?|bridle approve/)
  })
})
