// Verbs in a real terminal of 80 and 120 columns: questions, edits, and Ctrl+C once and twice.

import { fabricClient } from '@bridle/client/index'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { variants } from '../../../../scripts/variants.ts'
import { CliWorkspace, scriptOf } from '../cli.suite.ts'
import { Tmux, type TmuxWindow } from './tmux.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })
let work: CliWorkspace
let tmux: Tmux
beforeAll(async () => {
  work = new CliWorkspace()
  tmux = new Tmux(work)
  await work.boot()
})
afterAll(async () => {
  tmux.close()
  await work.remove()
})

const fabric = () => fabricClient({ url: work.url })
const waitFor = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 40_000, interval: 50 })
const statusOf = async (id: string) => (await fabric().session(id)).status
/** A session that waits for an approval; the id of the approval. */
const waiting = async (id: string, args: { [name: string]: string } = {}): Promise<string> => {
  const prompt = scriptOf({ text: 'begun' }, { approve: 'bash', args }, { text: 'on' })
  await fabric().invoke('scripted', id, { prompt }, { async: true })
  return waitFor(async () => {
    const [approval] = (await fabric().session(id)).approvals
    expect(approval).toBeDefined()
    return approval?.id ?? ''
  })
}

describe.skipIf(needs('tmux'))('in a terminal', () => {
  test.each(variants([80], [120]))(
    '[C160] e shows what was changed before it asks again, at %d columns',
    async (columns) => {
      const command = `echo ${'long '.repeat(40)}\u001b[8m`
      const window = tmux.open(columns, [
        ...['run', 'scripted', scriptOf({ approve: 'bash', args: { command, cwd: '/a' } }, { text: 'on' })],
        ...['--id', `edit-${columns}`],
      ])
      await window.until('Approve?')
      window.type('e')
      window.press('Enter')
      await window.until('Arguments: ')
      window.press('C-u')
      window.type(JSON.stringify({ command: 'ls', cwd: '/a', extra: '\u202e' }))
      window.press('Enter')
      const lines = await window.until(/Changed:[\s\S]*Approve\?/)
      const from = lines.indexOf('  Changed:') + 1
      const diff = lines.slice(
        from,
        lines.findIndex((line, at) => at > from && line.includes('Approve?')),
      )
      for (const line of diff) expect(line).toMatch(/^ {2}[-+│] /)
      // Every character of old and new, also those that a terminal would not show; tmux leaves out spaces at the ends of lines.
      const text = diff.map((line) => (/^ {2}│/.test(line) ? line.slice(4) : `\n${line.slice(2)}`)).join('')
      expect(text.replaceAll(' ', '').split('\n').slice(1)).toEqual([
        `-"command":"echo${'long'.repeat(40)}\\u001b[8m",`,
        '-"cwd":"/a"',
        '+"command":"ls",',
        '+"cwd":"/a",',
        '+"extra":"\\u202e"',
      ])
      window.type('y')
      window.press('Enter')
      expect(await window.ended()).toBe(0)
      expect(window.lines().join('')).toContain('"command":"ls"')
    },
  )

  test('[C160] approve --edit does the same; n leaves the approval open, y sends it', async () => {
    const [approval] = await Promise.all([waiting('ask-1', { p: 'old' }), waiting('ask-2'), waiting('ask-3')])
    for (const [answer, code, words] of [
      ['n', 3, `Nothing was sent; the approval ${approval} stays open.`],
      ['y', 0, `Approved ${approval} of ask-1.`],
    ] as const) {
      const window = tmux.open(80, ['approve', 'ask-1', approval, '--edit'])
      await window.until('Arguments: ')
      window.press('C-u')
      window.type('{"p":"new"}')
      window.press('Enter')
      await window.until(/- {3}"p": "old"\n.*\+ {3}"p": "new"[\s\S]*Approve\?/)
      window.type(answer)
      window.press('Enter')
      expect(await window.ended()).toBe(code)
      expect(window.lines().join('\n')).toContain(words)
    }
    const { stdout } = await work.bridle(['logs', 'ask-1', '--type', 'tool_outcome'])
    expect(stdout).toContain('"arguments":{"p":"new"}')
    expect([await statusOf('ask-2'), await statusOf('ask-3')]).toEqual(['awaiting_approval', 'awaiting_approval'])
  })

  const label = `PostgreSQL ${'long '.repeat(37)}end`
  const questions = [
    { id: 'db', header: 'Database', question: `Which?${'\n'.repeat(80)}\u202eNow`, options: ['SQLite', label] },
    { id: 'features', question: 'Which features?', multi_select: true, options: ['red', 'blue', 'green'] },
  ]

  test('[C408] [C409] run asks questions and forms at 80 columns, and asks again after an answer that does not fit', async () => {
    const properties = { port: { type: 'integer', default: 5432 }, tls: { type: 'boolean' }, note: { type: 'string' } }
    const form = { schema: { type: 'object', properties, required: ['port', 'tls'] } }
    const window = tmux.open(80, ['run', 'scripted', scriptOf({ ask: { questions } }, { ask: form }, { ask: form })])
    /** The prompt is the last line of the screen while it waits. */
    const answer = async (prompt: string, text: string) => {
      await vi.waitFor(() => expect(window.lines().at(-1)).toBe(`  ${prompt}:`), { timeout: 40_000, interval: 50 })
      window.type(text)
      window.press('Enter')
      await vi.waitFor(() => expect(window.lines()).toContain(`  ${prompt}: ${text}`.trimEnd()), { timeout: 40_000 })
    }
    await answer('Number 1-2', 'Oracle')
    await answer('Number 1-2', '2')
    await answer('Numbers 1-3 with commas, 0 for none', '1, 3')
    await answer('Whole number', 'many')
    await answer('Whole number', '')
    await answer('[y]es or [n]o', 'n')
    await answer('Answer', '')
    await window.until(/\? 1 of 3: port[\s\S]*\? 1 of 3: port/)
    await answer('Whole number', '/decline')
    expect(await window.ended()).toBe(0)
    const lines = window.lines()
    const from = lines.indexOf('? 1 of 2: Database')
    expect(lines.slice(from, from + 9)).toEqual([
      ...['? 1 of 2: Database', '│ Which?', '│ … 79 empty lines', '│ \\u202eNow', '  1  SQLite'],
      ...[`PostgreSQL ${'long '.repeat(12)}`, 'long '.repeat(15), `${'long '.repeat(10)}end`].map((line, at) =>
        `${at === 0 ? '  2  ' : '   │ '}${line}`.trimEnd(),
      ),
      '  /decline gives no answer.',
    ])
    const at = lines.indexOf('✓ question answered')
    const answered = lines.slice(
      at,
      lines.findIndex((line) => line.startsWith('✓ ask')),
    )
    expect(answered.map((line) => line.replace(/^│ /, '')).join(' ')).toBe(
      `✓ question answered db: ${label} features: red, green`,
    )
    const text = lines.join('\n')
    expect(text).toContain('✓ question answered\n│ port: 5432\n│ tls: false\n')
    expect(text).toContain('✗ question declined\n')
  })

  test('[C408] attach asks a question that is open, and ends when somebody else has answered', async () => {
    const prompt = scriptOf({ ask: { questions } }, { text: 'on' })
    await fabric().invoke('scripted', 'asked', { prompt }, { async: true })
    const window = tmux.open(80, ['attach', 'asked'])
    await window.until('  Number 1-2:')
    const [approval] = (await fabric().session('asked')).approvals
    await fabric().answer('asked', approval?.id ?? '', { answers: { db: 'SQLite', features: [] } })
    await window.until(/✓ question answered, elsewhere\n│ db: SQLite\n│ features: \[\]\n[\s\S]*✓ completed/)
  })

  test('[C281] doctor and errors break no word at 80 columns', async () => {
    const doctor = tmux.open(80, ['doctor'])
    await doctor.ended()
    const rows = doctor.lines().join('\n')
    expect(rows).toMatch(
      /! agent assistant {2}not available: Set BRIDLE_MODEL=openai-compatible\/llama3\.2\n {19}and BRIDLE_MODEL_URL=/,
    )
    const failed = tmux.open(80, ['run', 'scriptd-with-a-name-that-is-long-enough', 'Hello'])
    expect(await failed.ended()).toBe(1)
    expect(failed.lines().join('\n')).toMatch(/; there is\nscripted\./)
  })

  test('[C308] logs says that no event fits', async () => {
    await fabric().invoke('scripted', 'fits', { prompt: 'Hello' })
    const window = tmux.open(80, ['logs', 'fits', '--type', 'tool_cal'])
    expect(await window.ended()).toBe(0)
    expect(window.lines().join('\n')).toContain('No event fits. Did you mean --type tool_call?')
  })

  /** Presses Ctrl+C twice. On a busy machine the second press may come too late: then the command is started again. */
  const interruptTwice = async (open: () => TmuxWindow, isBegun: string | RegExp): Promise<TmuxWindow> => {
    for (let tries = 1; ; tries++) {
      const window = open()
      await window.until(isBegun)
      window.press('C-c')
      await window.until('Press Ctrl+C again within 2 seconds')
      window.press('C-c')
      if ((await window.ended()) === 3 || tries === 10) return window
    }
  }

  test('[C161] Ctrl+C in run leaves; a second one cancels that run and no other', async () => {
    const script = scriptOf({ text: 'begun' }, { sleepMs: 600_000 })
    const open = (id: string) => tmux.open(80, ['run', 'scripted', script, '--id', id])
    const [stay, other] = ['stay', 'else'].map(open)
    await Promise.all([stay?.until(/^begun/m), other?.until(/^begun/m)])
    stay?.press('C-c')
    let count = 0
    const stop = await interruptTwice(() => open(`stop-${++count}`), /^begun/m)
    expect(stop.lines().join('\n')).toContain(`Cancelled, session stop-${count}`)
    expect(await stop.ended()).toBe(3)
    await waitFor(async () => expect(await statusOf(`stop-${count}`)).toBe('idle'))
    expect(await stay?.ended()).toBe(130)
    expect(stay?.lines().join('\n')).toContain('The run continues; watch it with bridle attach stay')
    expect([await statusOf('stay'), await statusOf('else')]).toEqual(['running', 'running'])
  })

  test('[C8] [C161] Ctrl+C in a run with a server of its own says only what becomes of it, and once', async () => {
    const script = scriptOf({ text: 'begun' }, { sleepMs: 600_000 })
    const own = { ...(await work.unnamed()), BRIDLE_DATA: 'own' }
    const window = tmux.open(120, ['run', 'scripted', script, '--id', 'alone'], own)
    await window.until(/^begun/m)
    window.press('C-c')
    expect(await window.ended()).toBe(130)
    const text = window.lines().join('\n')
    expect(text).not.toContain('continues')
    expect(text.match(/Left/g)).toHaveLength(1)
    expect(text).toContain('Left, and the server of this run with it.')
  })

  test.each([
    ['a line of the terminal', {}, 'Arguments: '],
    ['the editor of the environment', { EDITOR: 'echo Open; sleep 600 #' }, /^Open/m],
  ])('[C9] Ctrl+C in %s leaves the edit, and not the run', async (_name, env, isOpen) => {
    const script = scriptOf({ approve: 'bash', args: { command: 'ls' } }, { text: 'on' })
    const window = tmux.open(80, ['run', 'scripted', script], env)
    await window.until('Approve?')
    window.type('e')
    window.press('Enter')
    await window.until(isOpen)
    window.press('C-c')
    await window.until(/Nothing is changed\.[\s\S]*Approve\?/)
    window.type('y')
    window.press('Enter')
    expect(await window.ended()).toBe(0)
    expect(window.lines().join('\n')).toContain('✓ bash approved')
  })

  test('[C9] an edit, and a letter that was not sent, end with the answer of another person, and a word that it is not theirs', async () => {
    const approval = await waiting('foreign', { p: 'old' })
    const [editor, typist] = [tmux.open(80, ['attach', 'foreign']), tmux.open(80, ['attach', 'foreign'])]
    await Promise.all([editor.until('Approve?'), typist.until('Approve?')])
    editor.type('e')
    editor.press('Enter')
    await editor.until('Arguments: ')
    editor.type('more')
    typist.type('y')
    await Promise.all([editor.until('more'), typist.until('arguments: y')])
    await fabric().reject('foreign', approval)
    for (const [window, before] of [
      [editor, '  Arguments: {"p": "old"}more'],
      [typist, '  Approve? [y]es, [n]o, [e]dit the arguments: y'],
    ] as const) {
      const lines = await window.until(/^✓ completed$/m)
      expect(lines.slice(lines.indexOf(before))).toEqual([before, '✗ bash denied, elsewhere', 'on', '✓ completed'])
    }
    const run = tmux.open(80, ['run', 'scripted', scriptOf({ approve: 'bash', args: {} }), '--id', 'own'])
    await run.until('Approve?')
    run.type('y')
    run.press('Enter')
    expect(await run.ended()).toBe(0)
    expect(run.lines()).toContain('✓ bash approved')
  })

  test('[C10] [C126] an event begins a line of its own below a question, which is asked again while it stands', async () => {
    await waiting('lines', { p: 'old' })
    const [watcher, editor] = [tmux.open(80, ['attach', 'lines']), tmux.open(80, ['attach', 'lines'])]
    await Promise.all([watcher.until('Approve?'), editor.until('Approve?')])
    editor.type('e')
    editor.press('Enter')
    await editor.until('Arguments: ')
    await fabric().pause('lines', { actor: 'ada' })
    await watcher.until(
      /arguments:\n· Paused by ada \(not signed in\)\n(✗ .*\n)? {2}Approve\? \[y\]es, \[n\]o, \[e\]dit the arguments:$/,
    )
    // Nothing comes between a person and the text that is edited.
    expect(editor.lines().at(-1)).toBe('  Arguments: {"p": "old"}')
    editor.press('Enter')
    await editor.until(/\n· Paused by ada \(not signed in\)\n(✗ .*\n)?Nothing is changed\.\n[\s\S]*Approve\?/)
    await fabric().cancel('lines', { actor: 'ada' })
    for (const window of [watcher, editor]) {
      const lines = await window.until(/^✗ bash cancelled$/m)
      expect(lines).toContain('✗ cancelled by ada (not signed in)')
      expect(lines.at(-1)).toBe('✗ bash cancelled')
    }
  })

  test('[C161] Ctrl+C in attach detaches; a second one cancels; where nothing runs it detaches at once', async () => {
    await Promise.all([waiting('watch-1'), waiting('watch-2')])
    const window = await interruptTwice(() => tmux.open(120, ['attach', 'watch-1']), 'Approve?')
    expect(await window.ended()).toBe(3)
    await waitFor(async () => expect(await statusOf('watch-1')).toBe('idle'))
    expect(await statusOf('watch-2')).toBe('awaiting_approval')

    const quiet = tmux.open(80, ['attach', 'watch-1'])
    await quiet.until('cancelled')
    expect(quiet.lines().join('\n')).toContain('session watch-1, idle; Ctrl+C leaves, twice cancels what runs.')
    quiet.press('C-c')
    expect(await quiet.ended()).toBe(0)
    expect(quiet.lines().join('\n')).not.toContain('Press Ctrl+C again')
  })

  test('[C125] run and attach say that they wait while nothing comes; without a run attach says nothing', async () => {
    const script = scriptOf({ text: 'begun\n' }, { sleepMs: 600_000 })
    const run = tmux.open(80, ['run', 'scripted', script, '--id', 'silent'])
    await run.until(/^begun\n… waiting for scripted, \d+ s$/m)
    const watcher = tmux.open(80, ['attach', 'silent'])
    await watcher.until(/^begun\n… waiting for scripted, \d+ s$/m)
    await fabric().cancel('silent')
    expect(await run.ended()).toBe(3)
    await watcher.until('cancelled')
    await waitFor(async () => expect([...run.lines(), ...watcher.lines()].join('')).not.toContain('…'))
    watcher.press('C-c')
    expect(await watcher.ended()).toBe(0)
  })

  test('[C125] Ctrl+C leaves nothing of the line that says what is waited for', async () => {
    await fabric().invoke('scripted', 'rests', { prompt: scriptOf({ text: 'one' }) })
    await fabric().pause('rests')
    const run = tmux.open(80, ['run', 'scripted', scriptOf({ text: 'two' }), '--id', 'rests'])
    await run.until(/^… paused; bridle resume rests goes on, \d+ s$/m)
    run.press('C-c')
    await run.ended()
    expect(run.lines().slice(0, 2)).toEqual([
      'scripted, session rests',
      'Leaving. Press Ctrl+C again within 2 seconds to cancel the run.',
    ])
  })

  test('[C154] delete asks first', async () => {
    await Promise.all(
      ['gone-1', 'gone-2'].map((id) => fabric().invoke('scripted', id, { prompt: scriptOf({ text: id }) })),
    )
    for (const [answer, code] of [
      ['n', 3],
      ['y', 0],
    ] as const) {
      const window = tmux.open(80, ['delete', 'gone-1'])
      await window.until(/^gone-1 of scripted: “.*”\nThis cannot be undone\. Delete it\?/m)
      expect((await fabric().session('gone-1')).id).toBe('gone-1')
      window.type(answer)
      window.press('Enter')
      expect(await window.ended()).toBe(code)
    }
    await expect(fabric().session('gone-1')).rejects.toMatchObject({ status: 404 })
    expect((await fabric().session('gone-2')).id).toBe('gone-2')
  })

  test.each(variants([80], [120]))('[C151] lists fit a window of %d columns', async (columns) => {
    const id = `scripted-${columns}f2a9c1e-0000-4000-8000-0123456789ab`
    await fabric().invoke('scripted', id, {
      prompt: scriptOf({ text: 'A title of some length, to be cut at its end' }),
    })
    // A line that is too long would go on at the beginning of the next one.
    const row = /^\S+ +scripted +\w+ +\S+/
    const shapes: [string[], RegExp][] = [
      [['sessions'], row],
      [['health'], row],
      [['inspect', id.slice(0, 12)], /^([A-Z][a-z]+)? {2,}\S/],
      [['logs', id.slice(0, 12)], /^\d\d:\d\d:\d\d ev-\d+ +\w+/],
    ]
    const windows = shapes.map(([args, shape]) => ({ shape, window: tmux.open(columns, args) }))
    for (const { shape, window } of windows) {
      expect(await window.ended()).toBe(0)
      const lines = window.lines().filter((line) => line !== '' && !/^(ID |bridle |exit code )/.test(line))
      expect(lines.length).toBeGreaterThan(1)
      for (const line of lines) expect(line).toMatch(shape)
    }
  })
})
