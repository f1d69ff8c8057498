// Files that nobody should import: each is refused with its line and what to do, and nothing of it is written.

import { createHash } from 'node:crypto'
import { SEQ_MAX } from '@bridle/history/export/entry-checks'
import { beforeAll, describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

const here = testApp()
let lines: readonly string[] = []

beforeAll(async () => {
  await here.post('/agents/scripted/a', scriptBody({ tool: 'read', args: { deep: {} } }, { text: 'one' }))
  const head = String((await here.get('/sessions/a')).body.lastEventId)
  await here.post('/chat/sessions/a/branch', { from_event_id: head, session_id: 'b' })
  await here.post('/agents/scripted/b', scriptBody({ text: 'two' }))
  await here.post('/agents/scripted/a', scriptBody({ text: 'three' }))
  lines = String((await here.get('/sessions/a/export')).body.text)
    .trimEnd()
    .split('\n')
    .slice(0, -1)
})

/** A file of these lines with a right last line: the digest alone stops nobody who writes the file. */
const signed = (changed: readonly string[]): string => {
  const body = changed.map((line) => `${line}\n`).join('')
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
  const sessions = changed.filter((line) => line.startsWith('{"session"')).length
  return `${body}${JSON.stringify({ end: { sessions, entries: changed.length - 1 - sessions, digest } })}\n`
}

type Line = { [name: string]: unknown } & { payload: { [name: string]: unknown } }
const at = (type: string): number => lines.findIndex((line) => line.includes(`"type":"${type}"`))
const changed = (index: number, change: (line: Line) => unknown): string[] =>
  lines.map((line, each) => (each === index ? JSON.stringify(change(JSON.parse(line) as Line)) : line))
/** The first session alone, with its numbers moved. */
const numberedFrom = (first: number): string[] =>
  lines.slice(0, branchLine()).map((text) => {
    const line = JSON.parse(text) as Line
    return JSON.stringify(typeof line.seq === 'number' ? { ...line, seq: line.seq + first - 1 } : line)
  })
const replaced = (index: number, line: string): string[] => lines.with(index, line)
const branchLine = () => lines.findIndex((line) => line.includes('"parent":{') && line.startsWith('{"session"'))
/** The file without the parent, and with another parent's name. */
const orphan = (id: string) => [
  lines[0] ?? '',
  ...lines.slice(branchLine()).map((line) => line.replaceAll('"id":"a"', `"id":"${id}"`)),
]

const files: readonly [name: string, file: () => string, line: number | (() => number), words: RegExp][] = [
  ['no text at all', () => '', 1, /cut off/],
  ['something else', () => 'hello\n', 1, /no export of a session/],
  ['another kind of file', () => '{"a":1}\n', 1, /no export/],
  ['a newer version', () => signed(changed(0, (line) => ({ ...line, version: 2 }))), 1, /version 2.*newer/],
  ['a file that is cut off', () => lines.join('\n'), () => lines.length, /cut off/],
  ['a file without its end', () => `${lines.join('\n')}\n`, () => lines.length + 1, /last line is missing/],
  [
    'a digest that does not match',
    () => signed(lines).replace('"text":"one"', '"text":"two"'),
    () => lines.length + 1,
    /digest/,
  ],
  ['lines after the end', () => `${signed(lines)}{}\n`, () => lines.length + 2, /after its last line/],
  ['a damaged line', () => signed(replaced(4, '{"seq":3,"at')), 5, /damaged/],
  ['a line that is a list', () => signed(replaced(4, '[]')), 5, /not as a server/],
  ['a line with spaces', () => signed(replaced(2, ` ${lines[2]}`)), 3, /not as a server/],
  [
    'a name twice',
    () => signed(replaced(2, (lines[2] ?? '').replace('{"seq":1', '{"seq":9,"seq":1'))),
    3,
    /not as a server/,
  ],
  ['an event without a session', () => signed([lines[0] ?? '', ...lines.slice(2)]), 2, /without a session/],
  ['a session without an event', () => signed([...lines.slice(0, 2), ...lines.slice(branchLine())]), 3, /no event/],
  ['a session twice', () => signed([...lines, lines[1] ?? '', lines[2] ?? '']), () => lines.length + 1, /twice/],
  [
    'a log whose first event no fold believes',
    () => signed(changed(2, ({ seq, at, type, payload }) => ({ seq, at, type, hearsay: true, payload }))),
    3,
    /first event/,
  ],
  ['a gap in the numbers', () => signed(lines.toSpliced(4, 1)), 5, /where 3 was due/],
  ['a first number that no log reaches', () => signed(numberedFrom(Number.MAX_SAFE_INTEGER - 100)), 3, /No server/],
  ['a number just above those that a log has', () => signed(numberedFrom(SEQ_MAX + 1)), 3, /No server/],
  ['numbers that are none', () => signed(changed(4, (line) => ({ ...line, seq: '3' }))), 5, /was due/],
  ['a time that goes back', () => signed(changed(4, (line) => ({ ...line, at: 5 }))), 5, /time goes back/],
  [
    'a time of the far future',
    () => signed(lines.slice(0, branchLine()).map((line) => line.replace(/"at":\d+/, '"at":9000000000000000'))),
    branchLine,
    /future/,
  ],
  [
    'an event of tomorrow',
    () => signed(changed(4, (line) => ({ ...line, type: 'quantum_leap' }))),
    5,
    /knows no event/,
  ],
  ['an event of the wire', () => signed(changed(4, (line) => ({ ...line, type: 'session' }))), 5, /knows no event/],
  [
    'a type from the prototype',
    () => signed(changed(4, (line) => ({ ...line, type: 'constructor' }))),
    5,
    /knows no event/,
  ],
  [
    'a prototype as a field',
    () => signed(replaced(4, (lines[4] ?? '').replace('"payload":{', '"payload":{"__proto__":{"admin":true},'))),
    5,
    /not as a server/,
  ],
  ['a further field', () => signed(changed(4, (line) => ({ ...line, admin: true }))), 5, /not as a server/],
  [
    'a payload that is no object',
    () => signed(changed(4, (line) => ({ ...line, payload: 'x' }))),
    5,
    /not as a server/,
  ],
  [
    'a payload that does not fit',
    () => signed(changed(at('tool_call'), (line) => ({ ...line, payload: { name: 7 } }))),
    () => at('tool_call') + 1,
    /tool_call: name/,
  ],
  [
    'a handle of a runner',
    () =>
      signed(
        changed(at('run_started'), (line) => ({
          ...line,
          payload: { ...line.payload, handle: { url: 'http://evil' } },
        })),
      ),
    () => at('run_started') + 1,
    /not as a server/,
  ],
  [
    'a fact that was withheld',
    () => signed(changed(4, (line) => ({ ...line, type: 'model_step', payload: { step: 1 } }))),
    5,
    /not as a server/,
  ],
  [
    'deep JSON',
    () =>
      signed(
        replaced(
          4,
          (lines[4] ?? '').replace('"payload":{', `"payload":{"x":${'['.repeat(5_000)}${']'.repeat(5_000)},`),
        ),
      ),
    5,
    /100 levels/,
  ],
  ['JSON deeper than the stack', () => signed(replaced(4, `${'['.repeat(1_000_000)}`)), 5, /damaged/],
  ['a long line', () => signed(replaced(4, JSON.stringify({ x: 'y'.repeat(13_000_000) }))), 5, /longer than/],
  [
    'a session that is created twice',
    () => signed([...lines.slice(0, 4), JSON.stringify({ ...JSON.parse(lines[2] ?? ''), seq: 3 }), ...lines.slice(5)]),
    5,
    /second/,
  ],
  [
    'a session of another agent',
    () => signed(changed(2, (line) => ({ ...line, payload: { ...line.payload, agent: 'other' } }))),
    3,
    /another session/,
  ],
  [
    'a first event that is none',
    () => signed(changed(2, (line) => ({ ...line, type: 'token', payload: { text: 'x' } }))),
    3,
    /first event/,
  ],
  [
    'a branch of another event',
    () =>
      signed(
        changed(at('branched'), (line) => ({
          ...line,
          payload: { ...line.payload, parent: { agent: 'scripted', id: 'a', seq: 1 } },
        })),
      ),
    () => at('branched') + 1,
    /another branch/,
  ],
  [
    'an approval that nobody asked for',
    () =>
      signed(
        changed(4, (line) => ({
          seq: line.seq,
          at: line.at,
          type: 'approval_decided',
          payload: { request_id: 'ap-1', decision: 'approved', actor: 'root' },
        })),
      ),
    5,
    /Nothing before/,
  ],
  [
    'the end of a turn that never was',
    () =>
      signed(
        changed(4, (line) => ({
          seq: line.seq,
          at: line.at,
          type: 'turn_end',
          payload: { turn_id: 'r-99', status: 'completed' },
        })),
      ),
    5,
    /Nothing before/,
  ],
  ['a branch whose parent is nowhere', () => signed(orphan('gone')), 2, /neither in the file nor on this server/],
  [
    'a branch behind the end of its parent',
    () => signed(replaced(branchLine(), (lines[branchLine()] ?? '').replace(/"seq":\d+/, '"seq":900'))),
    () => branchLine() + 1,
    /no event 900/,
  ],
  [
    'an agent that is not here',
    () => signed(lines.map((line) => line.replaceAll('"scripted"', '"nobody"'))),
    2,
    /no agent "nobody"/,
  ],
  [
    'an id that is none',
    () => signed(changed(1, () => ({ session: { id: '../a', agent: 'scripted', kind: 'chat' } }))),
    2,
    /not as a server/,
  ],
]

describe('[X11] [X12] a file is refused with its line, and nothing is written', () => {
  test.each(files)('%s', async (_, file, line, words) => {
    const there = testApp()
    const { status, body } = await there.post('/import', file())
    expect([status, body.error]).toEqual([400, expect.stringMatching(words)])
    expect(body.error).toContain(`Line ${typeof line === 'number' ? line : line()}: `)
    expect((await there.get('/sessions?archived=all')).body.sessions).toEqual([])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('bytes that are no text', async () => {
    const request = new Request('http://127.0.0.1/import', {
      method: 'POST',
      body: new Uint8Array([0xff, 0xfe, 0]),
    })
    const answer = await testApp().app.fetch(request)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('not text')])
  })

  test('more than the server takes is a 413', async () => {
    const headers = { 'content-length': String(65 * 1024 * 1024) }
    const request = new Request('http://127.0.0.1/import', { method: 'POST', body: 'x', headers })
    expect((await testApp().app.fetch(request)).status).toBe(413)
  })

  test('the file itself is taken, and so is a branch whose parent the server has', async () => {
    const there = testApp()
    expect((await there.post('/import', signed(lines.slice(0, branchLine())))).status).toBe(200)
    expect((await there.post('/import', signed(orphan('a')))).status).toBe(200)
    expect(String((await there.get('/sessions/a/export')).body.text)).toBe(signed(lines))
  })

  /** The line of a branch and its first event. */
  const branchLines = (id: string, parent: { readonly id: string; readonly seq: number }, at: number): string[] => {
    const from = { agent: 'scripted', id: parent.id, seq: parent.seq }
    const origin = { source_event_id: `ev-${from.seq}`, resume_cursor: `branch:${from.id}:${from.seq}` }
    return [
      JSON.stringify({ session: { id, agent: 'scripted', kind: 'chat', parent: from } }),
      JSON.stringify({ seq: from.seq + 1, at, type: 'branched', payload: { parent: from, kind: 'chat', ...origin } }),
    ]
  }

  test('thousands of branches of a long session are no more work than the lines of the file', async () => {
    const own = lines.slice(0, branchLine())
    const last = JSON.parse(own.at(-1) ?? '') as Line & { seq: number; at: number }
    const token = JSON.parse(lines[at('token')] ?? '') as Line
    const more = Array.from({ length: 4_000 }, (_, n) =>
      JSON.stringify({ ...token, seq: last.seq + 1 + n, at: last.at }),
    )
    const branches = Array.from({ length: 1_500 }, (_, n) =>
      branchLines(`n${n}`, { id: 'a', seq: last.seq + 4_000 - (n % 3) }, last.at),
    )
    const { status, body } = await testApp().post('/import?check=1', signed([...own, ...more, ...branches.flat()]))
    expect([status, (body.sessions as unknown[]).length]).toEqual([200, 1_501])
  })

  test('a branch of a branch may continue from an event that both have from above', async () => {
    const last = JSON.parse(lines[branchLine() - 1] ?? '') as { seq: number; at: number }
    const file = signed([...lines, ...branchLines('shared', { id: 'b', seq: 3 }, last.at)])
    const there = testApp()
    expect((await there.post('/import', file)).status).toBe(200)
    const { body } = await there.get('/sessions/shared')
    expect(body.status).toBe('idle')
  })

  test('[X15] a file does not choose the folder of a session, nor of a branch of it', async () => {
    const there = testApp()
    const settings = { workspace_path: '/etc' }
    const file = changed(at('session_created'), (line) => ({ ...line, payload: { ...line.payload, settings } }))
    expect((await there.post('/import', signed(file))).status).toBe(200)
    const { prompts_digest } = (await there.get('/sessions/a')).body
    const branch = { from_event_id: 'ev-3', session_id: 'c', workspace: { mode: 'none' }, prompts_digest }
    expect((await there.post('/chat/sessions/a/branch', branch)).status).toBe(201)
    for (const id of ['a', 'b']) {
      const session = await there.host.open({ tenant: 'default', agent: 'scripted', id })
      expect(session.state.lifecycle.settings).toEqual({})
    }
  })

  test('sessions that name each other as parents are refused', async () => {
    const file = signed([
      lines[0] ?? '',
      ...branchLines('left', { id: 'right', seq: 5 }, 5),
      ...branchLines('right', { id: 'left', seq: 6 }, 6),
    ])
    const { status, body } = await testApp().post('/import', file)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('neither in the file')])
    const own = signed([lines[0] ?? '', ...branchLines('left', { id: 'left', seq: 5 }, 5)])
    expect((await testApp().post('/import', own)).status).toBe(400)
  })

  test('a prototype deep in the arguments of a call is text, and harms nobody', async () => {
    const index = at('tool_call')
    const file = signed(
      replaced(index, (lines[index] ?? '').replace('"deep":{}', '"deep":{"__proto__":{"admin":true}}')),
    )
    const there = testApp()
    expect((await there.post('/import', file)).status).toBe(200)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    expect(String((await there.get('/sessions/a/export')).body.text)).toBe(file)
  })
})

describe('[X14] who may import', () => {
  const tokens = [
    { token: 'all' },
    { token: 'operate', scopes: ['operate', 'observe'] },
    { token: 'ann', user: 'ann' },
    { token: 'bob', user: 'bob' },
    { token: 'other', tenants: ['other'] },
  ] as const
  const as = (token: string) => ({ authorization: `Bearer ${token}` })

  test('a credential that may operate and approve', async () => {
    const there = testApp({ tokens: tokens as never })
    const { status, body } = await there.post('/import', signed(lines), as('operate'))
    expect([status, body.error]).toEqual([403, { type: 'forbidden', message: expect.stringContaining('approve') }])
    expect((await there.post('/import', signed(lines), as('all'))).status).toBe(200)
  })

  test('an import belongs to the user who made it, and another user’s session is not taken over', async () => {
    const there = testApp({ tokens: tokens as never })
    expect((await there.post('/import', signed(lines), as('ann'))).status).toBe(200)
    expect((await there.get('/sessions/a', as('ann'))).status).toBe(200)
    expect((await there.get('/sessions/a', as('bob'))).status).toBe(404)
    expect((await there.post('/import', signed(lines), as('bob'))).status).toBe(409)
    expect(
      (await there.post('/import', signed(orphan('a').map((line) => line.replaceAll('"b"', '"mine"'))), as('bob')))
        .status,
    ).toBe(400)
    const owned = signed(lines.slice(0, branchLine()).map((line) => line.replaceAll('"id":"a"', '"id":"user:ann"')))
    expect((await there.post('/import', owned, as('bob'))).status).toBe(400)
  })

  test('an id of another tenant is free', async () => {
    const there = testApp({ tokens: tokens as never })
    await there.post('/import', signed(lines), as('all'))
    expect((await there.post('/import', signed(lines), { ...as('other'), 'x-fabric-tenant': 'other' })).status).toBe(
      200,
    )
    const branchOnly = signed(orphan('gone'))
    expect((await there.post('/import', branchOnly, { ...as('other'), 'x-fabric-tenant': 'other' })).status).toBe(400)
  })
})

test('[X69] a session that asks a model which the operator does not allow is refused with its line, as a whole file', async () => {
  const busy = testApp()
  for (const [id, model] of [
    ['plain', undefined],
    ['small', 'small-1'],
    ['large', 'large-1'],
  ]) {
    expect((await busy.post('/chat/sessions', { agent: 'scripted', session_id: id, model })).status).toBe(201)
    await busy.post(`/agents/scripted/${id}`, scriptBody({ text: 'done' }))
  }
  const modelProblem = (model: string) => (model.startsWith('small') ? null : 'It may use: small*.')
  const listed = [...busy.app.ports.agents].map(([name, info]) => [name, { ...info, modelProblem }] as const)
  const there = testApp({ agents: new Map(listed) })
  const text = String((await busy.get('/export')).body.text)
  const line = text.split('\n').findIndex((each) => each.startsWith('{"session":{"id":"large"')) + 1
  for (const query of ['', '?check=1', '?rename=1']) {
    const { status, body } = await there.post(`/import${query}`, text)
    expect([status, body.error]).toEqual([
      400,
      `Line ${line}: The session asks the model "large-1", which this server does not allow: It may use: small*.`,
    ])
  }
  expect((await there.get('/sessions?archived=all')).body.sessions).toEqual([])
  for (const id of ['plain', 'small'])
    expect((await there.post('/import', String((await busy.get(`/sessions/${id}/export`)).body.text))).status).toBe(200)
})
