import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FabricError } from '@bridle/client/index'
import { expect, test } from 'vitest'
import { type ChatControl, completeSlash, runSlashCommand, slashCommands } from './slash-commands.ts'

const chatWith = (fabric: object = {}, client: object = {}, answer: string | null = null) => {
  const said: string[] = []
  const acts: unknown[] = []
  const chat = {
    ...{ fabric: { url: 'http://127.0.0.1:1/', ...fabric }, client, id: 's 1', agent: 'a', columns: 60, ownData: null },
    say: (...lines: string[]) => void said.push(...lines),
    ask: async () => answer,
    switchTo: (session: object) => void acts.push(session),
    startNew: async () => void acts.push('new'),
    toggleThinking: () => true,
    leave: () => void acts.push('left'),
  } as unknown as ChatControl
  return { chat, said, acts }
}

test.each([
  ['/healht', 'There is no /healht. Did you mean /health?'],
  ['/xyzzy', 'There is no /xyzzy. /help lists the commands.'],
  ['/', 'There is no /. /help lists the commands.'],
  ['/\u001b[2J', 'There is no /␛[2J. /help lists the commands.'],
  ['/toString', 'There is no /toString. /help lists the commands.'],
  ['/open', 'http://127.0.0.1:1/s/s%201?agent=a'],
  ['/export', 'Name a file: /export FILE'],
  ['/thinking', 'Thinking is shown from now on.'],
])('[C198] %s', async (line, expected) => {
  const { chat, said } = chatWith()
  await runSlashCommand(chat, line)
  expect(said).toEqual([expected])
})

test('[C198] /open does not name a server that ends with the chat', async () => {
  const { chat, said } = chatWith()
  await runSlashCommand({ ...chat, ownData: '.bridle' }, '/open')
  expect(said).toEqual([expect.stringContaining('bridle start --data .bridle')])
})

test('[C198] /help names every command', async () => {
  const { chat, said } = chatWith()
  await runSlashCommand(chat, '/help')
  for (const name of Object.keys(slashCommands)) expect(said.join('\n')).toContain(`/${name} `)
})

test('[C198] acts of the session, and a refusal in a line', async () => {
  const sent: unknown[] = []
  const act = (name: string) => async (more: unknown) => {
    sent.push([name, more])
    return {}
  }
  const client = {
    cancel: act('cancel'),
    pause: act('pause'),
    branch: async (at: unknown) => {
      sent.push(at)
      return { sessionId: 'b' }
    },
  }
  const resume = async () => {
    throw new FabricError(409, 'not_paused', 'The session is not paused.')
  }
  const { chat, said, acts } = chatWith({}, { ...client, resume })
  for (const line of ['/cancel', '/pause', '/resume', '/branch ev-3', '/branch', '/new', '/quit'])
    await runSlashCommand(chat, line)
  expect(sent).toEqual([['cancel', { queue: true }], ['pause', undefined], { fromEventId: 'ev-3' }, {}])
  expect(acts).toEqual([{ id: 'b', agent: 'a' }, { id: 'b', agent: 'a' }, 'new', 'left'])
  expect(said).toEqual(['The session is not paused.'])
})

test.each([
  [{ cancelled: false }, ['Nothing runs.']],
  [{ cancelled: true }, []],
])('[C198] /cancel and the answer %j', async (answer, expected) => {
  const { chat, said } = chatWith({}, { cancel: async () => answer })
  await runSlashCommand(chat, '/cancel')
  expect(said).toEqual(expected)
})

test.each([
  [true, []],
  [false, ['No question is asked.']],
])('[C410] /decline where a question is asked: %j', async (isAsked, expected) => {
  const { chat, said } = chatWith({}, {})
  await runSlashCommand({ ...chat, decline: () => isAsked }, '/decline')
  expect(said).toEqual(expected)
})

test.each([
  ['2', [{ id: 'two', agent: 'b' }], 0],
  ['', [], 0],
  ['9', [], 1],
  ['x', [], 1],
  [null, [], 0],
])('[C198] /sessions and the answer %j', async (answer, expected, complaints) => {
  const row = (id: string, agent: string) => ({
    id,
    agent,
    status: 'idle',
    updatedAt: new Date().toISOString(),
    title: `T ${id}\u001b[2J`,
  })
  const sessions = async () => ({ sessions: [row('s 1', 'a'), row('two', 'b'), row('three', 'a')] })
  const { chat, said, acts } = chatWith({ sessions }, {}, answer)
  await runSlashCommand(chat, '/sessions')
  expect(acts).toMatchObject(expected)
  expect(said).toHaveLength(3 + complaints)
  expect(said[0]).toMatch(/^\* 1 {2}a · idle · just now · T s 1␛\[2J$/)
})

test('[C198] /cost, /health, /files and /approvals', async () => {
  const usage = { input_tokens: 1234, output_tokens: 5, cost_usd: 0.0123, context_usage_pct: 41.6 }
  const health = { score: 70, flags: ['slow'], hint: 'Wait.' }
  const changes = [{ path: 'a\u001b.ts', status: 'added', additions: 3, deletions: 0 }]
  const approvals = [
    { sessionId: 's 1', id: 'a1', toolName: 'bash', args: { x: 1 } },
    { sessionId: 'other', id: 'a2', toolName: 'deploy', args: null },
  ]
  const { chat, said } = chatWith({
    session: async () => ({ usage, health }),
    workspace: async () => ({ changes, is_compared: true }),
    approvals: async () => ({ approvals }),
  })
  for (const line of ['/cost', '/health', '/files', '/approvals']) await runSlashCommand(chat, line)
  expect(said).toEqual([
    '1,234 tokens read, 5 written · $0.01 · context 42 %',
    'health 70 · slow · Wait.',
    'added    a␛.ts  +3 -0',
    'here · a1 · bash {"x":1}',
    'other · a2 · deploy ',
    'In other sessions: bridle approve SESSION ID, or reject.',
  ])
})

test('[C198] /export writes the whole file, for this user alone, or none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-chat-'))
  const file = join(folder, 'x.ndjson')
  const { chat, said } = chatWith({ exportSession: async () => new Response('{"a":1}\n') })
  await runSlashCommand(chat, `/export ${file}`)
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['{"a":1}\n', 0o600])
  await runSlashCommand(chat, `/export ${join(folder, 'no', 'x')}`)
  expect(said).toEqual([`Written to ${file}.`, expect.stringMatching(/cannot be written: there is no such folder/)])
  rmSync(folder, { recursive: true })
})

test.each<[string, string, string[]]>([
  ['/he', '/he', ['/help', '/health']],
  ['/ex', '/export ', []],
  ['/br', '/branch ', []],
  ['/qui', '/quit', []],
  ['/p', '/pause', []],
  ['/r', '/resume', []],
  ['hello', 'hello', []],
  ['/zzz', '/zzz', []],
  ['/branch x', '/branch x', []],
])('[C198] Tab after %s', (typed, text, choices) => expect(completeSlash(typed)).toEqual({ text, choices }))

test('[C16] a name that an agent chose is one line, and no command to the terminal', async () => {
  const approvals = [{ sessionId: 'x', id: 'apr\u001b[2J', toolName: '\u001b[1Aread\u202e_file\nin x', args: {} }]
  const changes = [{ path: 'a\nadded    b\u001b[2J', status: 'added', additions: null, deletions: null }]
  const { chat, said } = chatWith({
    approvals: async () => ({ approvals }),
    workspace: async () => ({ changes, is_compared: true }),
  })
  for (const line of ['/approvals', '/files']) await runSlashCommand(chat, line)
  expect(said).toEqual([
    'x · apr\\u001b[2J · \\u001b[1Aread\\u202e_file\\nin x ',
    'In other sessions: bridle approve SESSION ID, or reject.',
    'added    a added b␛[2J',
  ])
})

test('[C198] /export follows no link that waits beside the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-export-'))
  const file = join(folder, 'x.jsonl')
  writeFileSync(join(folder, 'mine'), 'mine')
  symlinkSync('mine', `${file}.partial`)
  const { chat, said } = chatWith({ exportSession: async () => new Response('{"a":1}\n') })
  await runSlashCommand(chat, `/export ${file}`)
  expect(said).toEqual([`Written to ${file}.`])
  expect([readFileSync(file, 'utf8'), readFileSync(join(folder, 'mine'), 'utf8')]).toEqual(['{"a":1}\n', 'mine'])
  rmSync(folder, { recursive: true })
})

test('[C431] /model and /effort change the next prompts, and show what there is', async () => {
  const claude = {
    name: 'a',
    model_choices: [
      { id: 'opus', title: 'Opus' },
      { id: 'sonnet-5', title: 'Sonnet 5' },
    ],
    efforts: ['low', 'high'],
  }
  const agents = async () => ({ agents: [claude, { name: 'plain' }] })
  const { chat, said } = chatWith({ agents, session: async () => ({ model: 'sonnet-5' }) })
  let choice = {}
  const choose = (next: object) => {
    choice = next
  }
  const play = (line: string, agent = 'a') => runSlashCommand({ ...chat, agent, choice, choose }, line)
  const chosen: object[] = []
  for (const line of ['/model opus', '/effort high', '/effort sharp', '/model', '/effort', '/model default']) {
    await play(line)
    chosen.push(choice)
  }
  await play('/effort default')
  await play('/model x', 'plain')
  await play('/effort x', 'gone')
  const both = { model: 'opus', effort: 'high' }
  expect([...chosen, choice]).toEqual([{ model: 'opus' }, both, both, both, both, { effort: 'high' }, {}])
  expect(said).toEqual([
    'The next prompts ask opus.',
    'The next prompts have the effort high.',
    'There is no effort "sharp". There are: low, high.',
    '* opus      Opus',
    '  sonnet-5  Sonnet 5',
    'Answered last: sonnet-5. /model default goes back to the model of the session.',
    'Effort: high. There are: low, high.',
    'The next prompts ask the model of the session.',
    'The next prompts have the effort of the session.',
    'A prompt cannot choose the model of this agent.',
    'A prompt cannot choose how much the model of this agent thinks.',
  ])
})
