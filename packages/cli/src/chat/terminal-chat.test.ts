// The chat in a real terminal: what a person would see, at 80 and at 120 columns.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { longTest } from '../../../../scripts/long-test.ts'
import { fromSource } from '../../../../scripts/module-snapshot.ts'
import { needs } from '../../../../scripts/needs.ts'
import { CliWorkspace, parseJsonRows, scriptOf } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })
const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const question = 'Approve? [y]es, [n]o, [e]dit the arguments:'

describe.skipIf(needs('tmux'))('on a terminal', () => {
  const socket = `bridle-chat-${process.pid}`
  let work: CliWorkspace
  beforeAll(async () => {
    work = new CliWorkspace()
    await work.boot()
  })
  afterAll(async () => {
    spawnSync('tmux', ['-L', socket, 'kill-server'])
    await work.remove()
  })

  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })

  /** A window with a chat in it. The shell stays, so that the last words of the chat can be read. */
  const open = (name: string, columns: number, args: readonly string[], env: { [name: string]: string } = {}) => {
    const line = [process.execPath, ...fromSource, main, 'chat', ...args].map((each) => `'${each}'`).join(' ')
    const variables = {
      BRIDLE_URL: work.url,
      NO_COLOR: '1',
      XDG_STATE_HOME: work.folder,
      EDITOR: '',
      VISUAL: '',
      ...env,
    }
    const set = Object.entries(variables).flatMap(([key, value]) => ['-e', `${key}=${value}`])
    const size = ['-x', String(columns), '-y', '30']
    tmux('new-session', '-d', '-s', name, ...size, '-c', work.folder, ...set, `${line}; echo "code $?"; sleep 600`)
    const lines = () => tmux('capture-pane', '-p', '-S', '-500', '-t', name).trimEnd().split('\n')
    const keys = (...pressed: string[]) => tmux('send-keys', '-t', name, ...pressed)
    const until = (words: string | RegExp) =>
      vi.waitFor(() => expect(lines().join('\n')).toMatch(words), { timeout: 40_000, interval: 100 })
    /** Types into the input line until it stands there: a question drops keys that come too soon. */
    const type = async (text: string) => {
      await vi.waitFor(
        () => {
          if (lines().at(-1)?.endsWith(` ${text}`)) return
          tmux('send-keys', '-t', name, 'C-u')
          tmux('send-keys', '-t', name, '-l', text)
          throw new Error(`"${text}" is not in the input line:\n${lines().join('\n')}`)
        },
        { timeout: 40_000, interval: 400 },
      )
    }
    const paste = (text: string) => {
      tmux('set-buffer', '-b', name, text)
      tmux('paste-buffer', '-p', '-b', name, '-t', name)
    }
    /** A long prompt is pasted, and stands in several rows. */
    const ask = async (...steps: unknown[]) => {
      paste(scriptOf(...steps))
      await until(/\}\]$/m)
      keys('Enter')
    }
    const answer = async (text: string) => {
      await until(new RegExp(`${escaped(question)}$`, 'm'))
      await type(text)
      keys('Enter')
    }
    return { lines, keys, until, type, paste, ask, answer }
  }
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const words = (lines: readonly string[]) => lines.join(' ').replace(/\s+/g, ' ')

  test('[C191] [C193] [C194] markdown, tools and approvals at 80 columns, and nothing that a model writes is obeyed', async () => {
    const chat = open('first', 80, ['scripted'])
    await chat.until(/^›/m)
    const text =
      '# Head\n\nWide 世界 and **bold**.\n\n| a | b |\n|--|--:|\n| 世界 | 1 |\n\n\u001b[2J\u001b]0;x\u0007gone?\n'
    await chat.ask(
      { thinking: 'Hm.' },
      { text, chunks: 40, everyMs: 5 },
      { tool: 'bash', args: { command: 'ls -la' }, result: 'two files' },
      { approve: 'write', args: { path: 'a', text: '\u001b[8mhidden' }, reason: 'It writes.' },
      { approve: 'deploy', args: { to: 'prod' } },
      { approve: 'other', args: {} },
      { text: 'The end.' },
      { usage: { input_tokens: 1200, output_tokens: 34, cost_usd: 0.01 } },
    )
    await chat.answer('e')
    await chat.until(/Arguments: \{/)
    chat.keys('C-u')
    tmux('send-keys', '-t', 'first', '-l', '{"path":"b"}')
    await chat.until(/Arguments: \{"path":"b"\}$/m)
    chat.keys('Enter')
    await chat.until(/^\? write \{"path":"b"\}$/m)
    await chat.answer('perhaps')
    await chat.until('Answer y, n or e')
    await chat.answer('y')
    await chat.until(/^\? deploy/m)
    await chat.answer('n')
    await chat.until(/^\? other/m)
    const [open3] = parseJsonRows((await work.bridle(['approvals'])).stdout)
    await work.bridle(['approve', String(open3?.sessionId), String(open3?.id)])
    await chat.until('$0.01')
    const lines = chat.lines()
    const from = lines.indexOf('✻ Hm.')
    expect(lines.slice(from, from + 13)).toEqual([
      ...['✻ Hm.', '', '# Head', '', 'Wide 世界 and bold.', '', 'a    │ b', '─────┼──', '世界 │ 1', ''],
      ...['␛[2J␛]0;x␇gone?', '', expect.stringMatching(/^✓ bash ls -la/)],
    ])
    const order = [
      ...['✓ bash ls -la', '? write {"path":"a","text":"\\u001b[8mhidden"} Reason: It writes.', '? write {"path":"b"}'],
      ...['✓ write approved ✓ write b', '? deploy {"to":"prod"}', '✗ deploy denied ? other'],
      ...['? other', '✓ other approved, elsewhere ✓ other', 'The end. 1,200 tokens read, 34 written · $0.01'],
    ]
    const rest = words(lines.slice(from))
    expect(order.map((each) => rest.indexOf(each))).toEqual(
      order.map((each) => rest.indexOf(each)).toSorted((a, b) => a - b),
    )
    for (const each of order) expect(rest).toContain(each)
    // Another window goes on with the same session, and shows the same.
    const other = open('again', 80, ['scripted', '--continue'])
    await other.until('The end.')
    expect(words(other.lines())).toContain('✓ bash ls -la two files ✓ write b')
  })

  test.each([80, 120])(
    '[C196] keys that are pressed before the chat is there belong to it, at %d columns',
    async (columns) => {
      // A server of its own takes a while to start.
      const own = { ...(await work.unnamed()), BRIDLE_DATA: `early-${columns}` }
      const sent = open(`early-${columns}`, columns, ['scripted'], own)
      sent.keys('one', 'Enter')
      await sent.until(/this\s+command\s+starts\s+a\s+server/)
      sent.keys('tw')
      await sent.until(/You said: "one"/)
      await sent.until(/^› tw$/m)
      sent.keys('o', 'Enter')
      await sent.until(/You said: "two"/)
      sent.keys('C-d')
      await sent.until(/^code 0/m)

      const half = open(`half-${columns}`, columns, ['scripted'])
      half.keys('not yet sent')
      await half.until(/^› not yet sent$/m)
      expect(half.lines().filter((line) => line.includes('not yet sent'))).toHaveLength(1)
      half.keys('C-u', 'C-d')
      await half.until(/^code 0/m)
    },
  )

  test('[C199] the part of an answer that is on the screen stays there when the person leaves', async () => {
    const chat = open('part', 80, ['scripted', '--id', 'part'])
    await chat.until(/^›/m)
    await chat.ask({ text: 'The first half, ' }, { sleepMs: 600_000 })
    await chat.until(/^The first half,/m)
    chat.keys('C-d')
    await chat.until(/^code 0/m)
    expect(words(chat.lines())).toContain('The first half, Left. The run continues.')
  })

  test('[C330] a chat on a folder says first that the work is done in another place', async () => {
    mkdirSync(join(work.folder, 'place'))
    writeFileSync(join(work.folder, 'place', 'a.txt'), 'one')
    const chat = open('place', 80, ['scripted', '--workspace', 'place'])
    await chat.until(/Works in a copy of .*place:/)
    await chat.until(/Your files stay as they are/)
    // The terminal wraps the long path by itself, behind its indent.
    expect(chat.lines()[chat.lines().findIndex((line) => line.startsWith('Works in a copy')) + 1]).toMatch(/^ {2}\//)
    chat.keys('C-d')
    await chat.until(/^code 0/m)
  })

  test('[C197] at 120 columns, kill -9 of the server costs nothing: a held prompt is sent once, an approval survives', async () => {
    const chat = open('second', 120, ['scripted', '--id', 'survivor'])
    await chat.until(/^›/m)
    const numbers = Array.from({ length: 120 }, (_, at) => `n${at}`).join(' ')
    await chat.ask(
      { text: `${numbers}\n` },
      { approve: 'go', args: {} },
      { text: `${numbers} last.`, chunks: 60, everyMs: 10 },
    )
    await chat.until(/^\? go/m)
    await work.kill()
    await chat.until('The server is away')
    await work.boot()
    await chat.until('It is back.')
    await chat.answer('y')
    await chat.until(/took/)
    const shown = words(chat.lines().slice(chat.lines().findIndex((line) => line.startsWith('n0'))))
    expect(shown.split(numbers)).toHaveLength(3)

    await work.kill()
    await chat.until(/The server is away[\s\S]*The server is away/)
    await chat.ask({ text: 'Sent once.' })
    await chat.until('(held)')
    await work.boot()
    await chat.until(/^Sent once\.$/m)
    expect(chat.lines().filter((line) => line === 'Sent once.')).toHaveLength(1)
    const { messages } = (await (await fetch(`${work.url}/sessions/survivor`)).json()) as {
      messages: { role: string }[]
    }
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  longTest(
    '[C197] a server that comes back with a token ends the chat, with the words of the other verbs',
    async () => {
      const chat = open('token', 120, ['scripted', '--id', 'locked-out'])
      await chat.until(/^›/m)
      // An answer: the chat is connected, and not only drawn.
      await chat.ask({ text: 'Begun.' })
      await chat.until(/^Begun\.$/m)
      await work.kill()
      await chat.until('The server is away')
      const guarded = work.start(['start', '--port', new URL(work.url).port, '--data', 'data', '--token'])
      await guarded.until((line) => line.includes('ready at'))
      try {
        await chat.until('This chat cannot go on; Ctrl+D leaves.')
        const shown = words(chat.lines())
        expect(shown).toContain('Set FABRIC_HARNESS_API_TOKEN to the token of the server.')
        expect(shown).toContain('name its data folder with --data')
        expect(shown).not.toContain('… the server is away')
      } finally {
        guarded.process.kill('SIGKILL')
        await guarded.ended
        await work.boot()
      }
    },
  )

  test('[C196] [C199] typing while an answer comes, a window that changes its size, stop, leave and come back', async () => {
    const chat = open('third', 120, ['scripted', '--id', 'typed'])
    await chat.until(/^›/m)
    const numbers = Array.from({ length: 200 }, (_, at) => `n${at}`).join(' ')
    await chat.ask({ text: numbers, chunks: 200, everyMs: 20 }, { sleepMs: 600_000 })
    await chat.until(/^n0 n1/m)
    for (const columns of [60, 100, 80]) tmux('resize-window', '-t', 'third', '-x', String(columns), '-y', '30')
    await chat.type('and then?')
    chat.keys('Enter')
    await chat.until('· queued: the prompt is the next one, since this agent takes no steering now')
    await chat.until(/^› and then\? \(queued\)$/m)
    await chat.until(/ n199$/m)
    const shown = words(chat.lines()).replace(
      '· queued: the prompt is the next one, since this agent takes no steering now ',
      '',
    )
    expect(shown).toContain(numbers)

    chat.keys('Escape')
    await chat.until('✗ stopped')
    await chat.until(/You said: "and then\?"/)
    await chat.until(/took[\s\S]*took/)
    chat.keys('Up')
    await chat.until(/^› and then\?\n?$/m)
    chat.keys('C-c')
    chat.keys('C-c')
    await chat.until('Ctrl+C again leaves')
    chat.keys('C-c')
    // [C281] A command in a line of its own is copied whole, whatever its length.
    await chat.until(/Come back with\n {2}bridle chat scripted --id typed/)
    await chat.until('code 0')
    const back = open('fourth', 80, ['scripted', '--id', 'typed'])
    await back.until(/You said: "and then\?"/)
    await back.type('/sesions')
    back.keys('Enter')
    await back.until('There is no /sesions. Did you mean /sessions?')
    back.keys('C-d')
    await back.until('code 0')
  })

  longTest('[C198] a command in place of the number that /sessions asks for is that command', async () => {
    const chat = open('number', 100, ['scripted', '--id', 'numbered'])
    await chat.until(/^›/m)
    await chat.ask({ text: 'Begun.' })
    await chat.until(/^Begun\.$/m)
    await chat.type('/sessions')
    chat.keys('Enter')
    await chat.until('Number (Enter: stay here):')
    await chat.type('/cost')
    chat.keys('Enter')
    await chat.until(/^› \/cost$/m)
    await chat.until(/tokens read/)
    expect(words(chat.lines())).not.toContain('There is no such number')
    chat.keys('C-d')
    await chat.until('code 0')
  })

  test('[C410] a question is answered in the input line, with a path for a text of one’s own; /decline declines', async () => {
    const chat = open('question', 80, ['scripted', '--id', 'asks'])
    await chat.until(/^›/m)
    const questions = [
      {
        id: 'db',
        header: 'Database',
        question: 'Which?',
        options: ['SQLite', { label: 'Postgres', description: 'A server' }],
      },
      { id: 'place', question: 'Where?', allow_free_text: true },
    ]
    await chat.ask({ ask: { questions } }, { ask: 'Really?', options: ['Yes'], id: 'sure' }, { text: 'Over.' })
    await chat.until(/^Number 1-2:$/m)
    await chat.type('/cost')
    chat.keys('Enter')
    await chat.until(/tokens read/)
    await chat.type('2')
    chat.keys('Enter')
    await chat.until(/^Answer:$/m)
    await chat.type('/srv/data')
    chat.keys('Enter')
    await chat.until(/^Number 1:$/m)
    await chat.type('/decline')
    chat.keys('Enter')
    await chat.until(/^Over\.$/m)
    const text = chat.lines().join('\n')
    expect(text).toContain(
      '? 1 of 2: Database\n│ Which?\n  1  SQLite\n  2  Postgres\n     · A server\n  /decline gives no answer.\n',
    )
    expect(text).toContain('✓ question answered\n│ db: Postgres\n│ place: /srv/data\n')
    expect(text).toContain('✗ question declined\n')
    chat.keys('C-d')
    await chat.until('code 0')
  })
})
