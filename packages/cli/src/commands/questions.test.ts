// Questions on the command line without a person at a terminal: `answer`, the lists, and runs that nobody watches.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fabricClient } from '@bridle/client/index'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runPipedChat } from '../chat/piped-chat.ts'
import { keepingOutput, type VerbWorld, verbWorld } from '../verb-calls.suite.ts'

let world: VerbWorld
beforeAll(async () => {
  world = await verbWorld()
})
afterAll(() => world.close())

const fabric = () => fabricClient({ url: world.server.url })
const script = (...steps: readonly unknown[]) => `@script ${JSON.stringify(steps)}`
const db = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
const form = {
  ask: {
    schema: {
      type: 'object',
      properties: {
        port: { type: 'integer', title: 'Port', minimum: 1 },
        tls: { type: 'boolean' },
        level: { type: 'string', enum: ['a', 'b'], enumNames: ['Low', 'High'] },
        tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
        extra: { type: 'object', properties: { a: { type: 'number' } } },
        note: { type: 'string' },
      },
      required: ['port', 'tls'],
    },
  },
  id: 'form',
}

/** Without the breaks and bars of a wrapped text. */
const unwrapped = (text: string): string => text.replace(/[\s│]/g, '')

/** The open approvals of a session, once there are as many. */
const open = (id: string, count = 1) =>
  vi.waitFor(
    async () => {
      const { approvals } = await fabric().session(id)
      expect(approvals).toHaveLength(count)
      return approvals.map((each) => each.id)
    },
    { timeout: 20_000, interval: 20 },
  )
const begin = async (id: string, ...steps: readonly unknown[]): Promise<string> => {
  await world.begin(id, ...steps)
  return (await open(id))[0] ?? ''
}
/** Starts a script in a session below another one. */
const beginBelow = (parent: string, id: string, step: object) =>
  fetch(`${world.server.url}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ engine: 'scripted', session_id: id, parent_session_id: parent, prompt: script(step) }),
  })
const resultsOf = async (id: string) => {
  await vi.waitFor(async () => expect((await fabric().session(id)).status).toBe('idle'), { timeout: 20_000 })
  const rows = await world.rows('logs', id, '--type', 'tool_outcome')
  return rows.map(({ payload }) => (payload as { result?: unknown; status: string }).result ?? 'denied')
}

describe('[C398] answer', () => {
  test('two questions each in three sessions, answered in the wrong order', async () => {
    const ids = ['three-1', 'three-2', 'three-3']
    const steps = [
      { ...db, allow_free_text: true },
      { ask: 'Which colours?', id: 'colour', multi_select: true, options: ['red', 'blue', 'green'] },
    ]
    const first = await Promise.all(ids.map((id) => begin(id, ...steps)))
    const answers = [['db=PostgreSQL'], ['db=Something = else'], ['db=SQLite']]
    const second: string[] = []
    for (const at of [2, 0, 1]) {
      const id = ids[at] ?? ''
      expect(await world.text('answer', id, String(first[at]), ...(answers[at] ?? []))).toEqual({
        ...{ code: 0, notes: '' },
        stdout: `Answered ${first[at]} of ${id}.`,
      })
      second[at] = await vi.waitFor(async () => {
        const [next] = await open(id)
        expect(next).not.toBe(first[at])
        return next ?? ''
      })
    }
    // The beginning of an id is enough, and a name is repeated for several answers.
    for (const at of [1, 2, 0])
      expect(await world.json('answer', ids[at] ?? '', second[at] ?? '', 'colour=red', 'colour=green')).toMatchObject({
        code: 0,
      })
    expect(await Promise.all(ids.map(resultsOf))).toEqual(
      ['PostgreSQL', 'Something = else', 'SQLite'].map((text) => [
        { answers: { db: text } },
        { answers: { colour: ['red', 'green'] } },
      ]),
    )
  })

  test('[C399] the values of a form are read by the types of its fields', async () => {
    const [words, file] = await Promise.all([begin('form-1', form), begin('form-2', form)])
    const values = ['port=5432', 'tls=no', 'level=High', 'tags=y', 'extra={"a": 1}', 'note=5']
    expect(await world.text('answer', 'form-1', words, ...values)).toMatchObject({ code: 0 })
    const path = join(world.folder, 'answers.json')
    writeFileSync(path, JSON.stringify({ port: 1, tls: true, note: 'from the file', tags: [] }))
    expect(await world.text('answer', 'form-2', file, '--answers', path, 'note=typed')).toMatchObject({ code: 0 })
    expect([await resultsOf('form-1'), await resultsOf('form-2')]).toEqual([
      [{ values: { port: 5432, tls: false, level: 'b', tags: ['y'], extra: { a: 1 }, note: '5' } }],
      [{ values: { port: 1, tls: true, tags: [], note: 'typed' } }],
    ])
  })

  test('[C400] an answer that does not fit is a usage error, and the question stays open', async () => {
    const approval = await begin('unfit', db)
    const stays = ' The question stays open.'
    const cases: [readonly string[], string][] = [
      [['db=Oracle'], `"Oracle" is not an option of question "db".${stays}`],
      [['db=1'], `"1" is not an option of question "db".${stays}`],
      [['db=SQLite', 'db=PostgreSQL'], `Question "db" takes one answer, not a list.${stays}`],
      [['other=SQLite'], `There is no question "other"; the questions are "db".${stays}`],
      [['SQLite'], 'SQLite is not name=value.'],
      [[], `Give an answer, such as bridle answer unfit ${approval} db=SQLite.`],
      [['--answers', 'nowhere.json'], '--answers nowhere.json cannot be read: ENOENT'],
    ]
    for (const [words, notes] of cases)
      expect(await world.text('answer', 'unfit', approval, ...words)).toEqual({ code: 2, stdout: '', notes })
    const formId = await begin('unfit-form', form)
    for (const [words, reason] of [
      [['port=abc', 'tls=y'], 'Field "port" must be a whole number.'],
      [['port=0', 'tls=y'], 'Field "port" must be at least 1.'],
      [['port=1'], 'Field "tls" is required.'],
      [['port=1', 'tls=maybe'], 'Field "tls" must be true or false.'],
      [['port=1', 'tls=y', 'extra={'], 'Field "extra" must be an object.'],
    ] as const)
      expect(await world.text('answer', 'unfit-form', formId, ...words)).toEqual({
        code: 2,
        stdout: '',
        notes: reason + stays,
      })
    expect([await open('unfit'), await open('unfit-form')]).toEqual([[approval], [formId]])
  })

  test('[C400] the same answer again succeeds, another is refused, and a declined question is declined', async () => {
    const approval = await begin('again', { ...db, multi_select: true }, db)
    for (const word of ['db=SQLite', 'db=SQLite'])
      expect(await world.text('answer', 'again', approval, word)).toMatchObject({ code: 0 })
    expect(await world.text('answer', 'again', approval, 'db=PostgreSQL')).toMatchObject({ code: 1 })
    expect(await world.text('answer', 'again', approval, 'db=Oracle')).toMatchObject({
      ...{ code: 1, notes: 'The question was already answered.' },
    })
    const [next = ''] = await open('again')
    expect(await world.text('reject', 'again', next, '--reason', 'Neither')).toMatchObject({ code: 0 })
    expect(await resultsOf('again')).toEqual([{ answers: { db: ['SQLite'] } }, 'denied'])
    expect(await world.text('answer', 'again', 'apr-99', 'db=SQLite')).toEqual({
      ...{ code: 1, stdout: '' },
      notes: 'again has no approval apr-99. Those that wait: bridle approvals',
    })
  })

  test('[C401] a call takes no answer, and a question without a default needs one', async () => {
    const [call, question, easy] = await Promise.all([
      begin('kind-1', { approve: 'bash', args: {} }),
      begin('kind-2', db),
      begin('kind-3', { ...db, default: 'PostgreSQL' }),
    ])
    expect(await world.text('answer', 'kind-1', call, 'db=SQLite')).toEqual({
      ...{ code: 2, stdout: '' },
      notes: `${call} is not a question. Use bridle approve or bridle reject for bash.`,
    })
    for (const more of [[], ['--args', '{"a":1}']])
      expect(await world.text('approve', 'kind-2', question, ...more)).toEqual({
        ...{ code: 2, stdout: '' },
        notes: `${question} is a question. Answer it with\n  bridle answer kind-2 ${question} db=SQLite`,
      })
    expect(await world.text('approve', 'kind-3', easy)).toMatchObject({ code: 0 })
    expect(await resultsOf('kind-3')).toEqual([{ answers: { db: 'PostgreSQL' } }])
    expect([await open('kind-1'), await open('kind-2')]).toEqual([[call], [question]])
  })
})

describe('[C402] a run without a terminal', () => {
  const run = (id: string, ...more: readonly string[]) => [
    ...['run', 'scripted', script(db, { ask: 'Which port?', id: 'port', allow_free_text: true }), '--id', id],
    ...more,
  ]

  test('ends with 3 at a question and says how to answer it; the session waits', async () => {
    const { code, stdout, notes } = await world.text(...run('left-1'))
    const [approval] = await open('left-1')
    const command = `bridle answer left-1 ${approval} db=SQLite`
    expect(code).toBe(3)
    expect(stdout.split('\n').slice(1)).toEqual([
      '? Question',
      '│ Which database?',
      '  1  SQLite',
      '  2  PostgreSQL',
      `  ${command}`,
      `  bridle reject left-1 ${approval}`,
      '',
    ])
    expect(notes).toBe(`scripted, session left-1\nThe run waits for an answer. Answer it with\n  ${command}`)
    // The command works as it stands.
    expect(await world.text(...command.split(' ').slice(1))).toMatchObject({ code: 0 })
    await vi.waitFor(async () => expect(await open('left-1')).not.toEqual([approval]))
  })

  test('in JSON the last line has the command', async () => {
    const { code, stdout } = await world.json(...run('left-2'))
    const [approval] = await open('left-2')
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(3)
    expect(rows.at(-2)).toMatchObject({
      type: 'approval_requested',
      data: {
        approvalId: approval,
        kind: 'question',
        questions: [{ id: 'db', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }],
      },
    })
    expect(rows.at(-1)).toEqual({
      ...{ type: 'outcome', sessionId: 'left-2', agent: 'scripted', runId: expect.any(String) },
      ...{ status: 'awaiting_approval', approvalId: approval, command: `bridle answer left-2 ${approval} db=SQLite` },
    })
  })

  test('[C403] --wait stays until somebody answers elsewhere', async () => {
    const ids = ['wait-1', 'wait-2', 'wait-3']
    const runs = ids.map((id) => world.text(...run(id, '--wait')))
    for (const question of ['db=SQLite', 'port=8080'])
      for (const id of [...ids].reverse()) {
        const approval = await vi.waitFor(async () => {
          const found = (await fabric().session(id)).approvals.find(({ questions }) =>
            question.startsWith(`${questions?.[0]?.id}=`),
          )
          expect(found).toBeDefined()
          return found?.id ?? ''
        })
        expect(await world.text('answer', id, approval, question)).toMatchObject({ code: 0 })
      }
    for (const { code, stdout } of await Promise.all(runs))
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/✓ question answered\n│ db: SQLite\n[\s\S]*│ port: 8080\n/),
      ])
  })

  test('[C404] answers that are given in advance are sent, and the unused ones are named', async () => {
    const path = join(world.folder, 'ahead.json')
    writeFileSync(path, JSON.stringify({ port: '80', db: 'PostgreSQL' }))
    const answers = ['--answers', path, '--answer', 'db=SQLite', '--answer', 'other=1']
    const { code, stdout, notes } = await world.text(...run('ahead-1', ...answers))
    expect([code, stdout]).toEqual([0, expect.stringMatching(/│ db: SQLite\n[\s\S]*│ port: 80\n/)])
    expect(notes.split('\n').slice(1)).toEqual([
      'completed, session ahead-1',
      'Answers that no question asked for: other.',
    ])
    expect((await world.rows(...run('ahead-2', ...answers))).at(-1)).toMatchObject({
      ...{ type: 'outcome', status: 'completed', unusedAnswers: ['other'] },
    })
  })

  test('[C404] an answer is used once, and a form may have a part of its answers', async () => {
    const twice = await world.text('run', 'scripted', script(db, db), '--id', 'ahead-3', '--answer', 'db=SQLite')
    expect(twice.code).toBe(3)
    const part = await world.text('run', 'scripted', script(form), '--id', 'ahead-4', '--answer', 'port=8080')
    const [approval] = await open('ahead-4')
    expect([part.code, part.notes.split('\n').at(-1)]).toEqual([
      3,
      `  bridle answer ahead-4 ${approval} port=8080 tls=true`,
    ])
  })

  test('[C405] an answer in advance that does not fit ends the run with 2, and the question stays open', async () => {
    const { code, notes } = await world.text(...run('ahead-5', '--answer', 'db=Oracle'))
    const [approval] = await open('ahead-5')
    expect([code, notes.split('\n').slice(1)]).toEqual([
      2,
      [
        '"Oracle" is not an option of question "db". The question stays open. Answer it with',
        `  bridle answer ahead-5 ${approval} db=SQLite`,
      ],
    ])
    for (const [flags, problem] of [
      [['--answer', 'SQLite'], '--answer SQLite is not name=value.'],
      [['--answers', 'nowhere.json'], '--answers nowhere.json cannot be read: ENOENT'],
      [
        ['--answer', 'a=b', '--background'],
        '--background leaves at once. Take --answer, --answers and --wait without it.',
      ],
      [['--answers', '-', '--stdin'], '--stdin and --answers - both read standard input; name a file for one of them.'],
    ] as const)
      expect(await world.text('run', 'scripted', 'Hello', ...flags)).toEqual({ code: 2, stdout: '', notes: problem })
  })

  test('a large question of a sub-agent is read from its session, and answered on the session of the run', async () => {
    const watched = world.text(
      'run',
      'scripted',
      script({ approve: 'bash', args: {} }, { text: 'on' }),
      '--id',
      'above',
    )
    await open('above')
    const large = { ...db, ask: `${'x '.repeat(9_000)}?` }
    await beginBelow('above', 'below', large)
    const { code, notes } = await watched
    const [approval = ''] = await open('below')
    const command = `bridle answer above below:${approval} db=SQLite`
    expect([code, notes]).toEqual([3, expect.stringContaining(command)])
    expect(await world.text('inspect', 'above')).toMatchObject({ stdout: expect.stringContaining('question') })
    expect(await world.text(...command.split(' ').slice(1))).toMatchObject({ code: 0 })
  })

  test('[C21] [C406] a large call of a sub-agent is shown whole on the session of the run, and approved there', async () => {
    const watched = world.text('run', 'scripted', script({ approve: 'bash', args: {} }, { text: 'on' }), '--id', 'over')
    const [own = ''] = await open('over')
    const command = `${'x '.repeat(9_000)}END`
    await beginBelow('over', 'under', { approve: 'bash', args: { command }, reason: 'r'.repeat(900) })
    const named = (await open('over', 2)).find((id) => id !== own) ?? ''
    const [below] = (await fabric().session('over')).approvals.filter(({ id }) => id === named)
    expect(below).toMatchObject({ args: {}, child: { id: 'under', isCut: true } })
    const { stdout } = await world.text('inspect', 'over')
    expect(unwrapped(stdout)).toContain(unwrapped(command))
    expect(unwrapped(stdout)).toContain('r'.repeat(900))
    expect(await world.text('answer', 'over', named, 'a=b')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('is not a question'),
    })
    expect(await world.text('approve', 'over', named)).toMatchObject({ code: 0 })
    await world.text('approve', 'over', own)
    const shown = unwrapped((await watched).stdout)
    expect(shown).toContain(unwrapped(command))
    expect(shown).toContain('r'.repeat(900))
  })

  test('[C21] [C406] a chat without a terminal shows such a call whole, too', async () => {
    const keys = new PassThrough()
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(keys as never)
    const { out, notes } = keepingOutput(false, 80)
    const connection = { fabric: fabric(), plain: fabric() } as never
    const target = { agent: 'scripted', id: 'piped', isNew: true } as never
    const chat = runPipedChat(connection, target, {}, out, new AbortController().signal)
    keys.end(`${script({ approve: 'bash', args: {} }, { text: 'on' })}\n`)
    const [own = ''] = await open('piped')
    const command = `${'y '.repeat(9_000)}END`
    await beginBelow('piped', 'piped-below', { approve: 'bash', args: { command } })
    await open('piped', 2)
    await vi.waitFor(() => expect(unwrapped(notes.join(''))).toContain(unwrapped(command)))
    await world.text('approve', 'piped', own)
    expect(await chat).toBe(0)
    vi.restoreAllMocks()
  })

  test('[C402] an approval is no question: the run waits for it as before', async () => {
    const watched = world.text(
      'run',
      'scripted',
      script({ approve: 'bash', args: {} }, { text: 'on' }),
      '--id',
      'approval',
    )
    const [approval = ''] = await vi.waitFor(() => open('approval'))
    await world.text('approve', 'approval', approval)
    expect(await watched).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ bash approved') })
  })
})

describe('[C406] lists', () => {
  test('approvals, inspect and replay show a question as a question', async () => {
    const approval = await begin('listed', {
      ...db,
      options: [{ label: 'SQLite', description: 'One file' }, 'a\u202eb'],
    })
    const inbox = (await world.wide('approvals')).stdout.split('\n')
    const at = inbox.findIndex((line) => line.startsWith('listed '))
    expect(inbox[at]).toMatch(/^listed +apr-\d+ +scripted +question /)
    expect(inbox.slice(at + 1, at + 6)).toEqual([
      '    ? Question',
      '    │ Which database?',
      '      1  SQLite',
      '         · One file',
      '      2  a\\u202eb',
    ])
    const { stdout, notes } = await world.text('inspect', 'listed')
    expect(stdout).toContain(`${approval} question db: Which database? [SQLite | a\\u202eb]`)
    expect(notes.split('\n').slice(1)).toEqual([
      `bridle answer listed ${approval} db=SQLite`,
      `bridle reject listed ${approval}`,
    ])
    await world.text('answer', 'listed', approval, 'db=SQLite')
    await resultsOf('listed')
    const past = (await world.text('replay', 'listed')).stdout
    expect(past).toContain(
      '? Question\n│ Which database?\n  1  SQLite\n     · One file\n  2  a\\u202eb\n✓ question answered\n│ db: SQLite\n',
    )
    expect(past).not.toContain('bridle answer')
  })

  test('rows of approvals have the question, also where a list cuts it', async () => {
    const labels = Array.from({ length: 40 }, (_, at) => `${at} ${'x'.repeat(180)}`)
    await begin('cut', { ...db, options: labels })
    const row = (await world.rows('approvals')).find(({ sessionId }) => sessionId === 'cut')
    expect(row).toMatchObject({
      kind: 'question',
      isCut: false,
      questions: [{ id: 'db', options: labels.map((label) => ({ label })) }],
    })
  })
})
