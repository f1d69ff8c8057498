import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { startDevServer } from 'bridle/node'
import { afterEach, expect, test } from 'vitest'
import { question, type StubAnswer, say, stubEngine } from '../stub-engine.suite.ts'
import { runCli } from './cli.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const engineWith = async (answer: StubAnswer) => {
  const engine = await stubEngine(answer)
  closing.push(engine.close)
  return engine
}

/** Types these lines and gives the exit code with everything that the shell printed after its first line. */
const type = async (url: string, lines: readonly string[], sessionId?: string) => {
  let printed = ''
  const output = new Writable({
    write: (piece, _encoding, done) => {
      printed += String(piece)
      done()
    },
  })
  const input = Readable.from(lines.map((line) => `${line}\n`))
  const code = await runCli({ url, input, output, ...(sessionId && { sessionId }) })
  return { code, text: printed.slice(printed.indexOf('\n') + 1) }
}

test('prints text, components and the texts of unknown directives', async () => {
  const { url, requests } = await engineWith(({ request }) => [
    say(`You said ${request.context?.user_intent}.`),
    { action_type: 'render_ui', payload: { component: 'Chart', data: [1, 2] } },
    { action_type: 'com.example.fly', payload: { fallback_message: 'I would fly now.' } },
  ])
  const { code, text } = await type(url, ['one', '', 'two', '/quit', 'never'])
  const answers = (intent: string) =>
    `You said ${intent}.\n[Chart] [1,2]\n(this shell does not know com.example.fly)\nI would fly now.\n`
  // The empty line is asked again.
  expect([code, text]).toEqual([0, `> ${answers('one')}> > ${answers('two')}> `])
  const contexts = requests.map(({ request }) => request.context ?? {})
  expect(contexts.map(({ user_intent }) => user_intent)).toEqual(['one', 'two'])
  expect(new Set(contexts.map(({ session_id }) => session_id)).size).toBe(1)
  expect(contexts[0]?.shell).toMatchObject({ shell_kind: 'command_shell' })
  expect(contexts[0]?.environment_state).toMatchObject({ privacy_tier: 'restricted' })
})

test('a text cannot control the terminal', async () => {
  const { url } = await engineWith(() => [say('a\u001b[2Jb\u0007c\rd\ne\u009bf')])
  expect((await type(url, ['hello'])).text).toContain('a[2Jbcd\nef\n')
})

test('a question for a text is answered with the next line', async () => {
  const ask = question('r1')
  const { url, requests } = await engineWith(({ request }) =>
    request.context?.continuation ? [say('thanks')] : [{ ...ask, payload: { ...ask.payload, tool: 'user.input' } }],
  )
  const { text } = await type(url, ['first', 'Ann', 'second', ''])
  expect(text).toContain('May r1 go on?\nanswer> thanks\n')
  expect(requests.map(({ request }) => request.context?.user_intent)).toEqual(['first', 'Ann', 'second'])
  expect(text).toContain('(still open: May r1 go on?)')
})

test('an answer to a question is sent, and any other word leaves it open', async () => {
  const { url, requests } = await engineWith(({ request }) => {
    const token = request.context?.continuation?.continuation_token
    return token ? [say(`got ${token}`)] : [question('r1')]
  })
  const { text } = await type(url, ['first', '1', 'second', '2', 'third', 'perhaps'])
  expect(text).toContain('May r1 go on?\n  close_issue {"number":7}\n  1. Approve\n  2. Deny\nanswer> got yes-r1\n')
  expect(text).toContain('got no-r1')
  expect(text.match(/\(still open: May r1 go on\?\)/g)).toHaveLength(1)
  expect(requests).toHaveLength(5)
})

test('runs what needs approval only after y, and the end of the input is no y', async () => {
  const dangerous = { action_type: 'render_message', requires_user_approval: true, payload: { text: 'BOOM' } }
  const { url } = await engineWith(() => [dangerous])
  expect((await type(url, ['go', 'y'])).text).toContain('BOOM\n')
  for (const answer of [['n'], ['yes please'], []])
    expect((await type(url, ['go', ...answer])).text).not.toContain('BOOM\n')
})

test('says why a turn failed, and the exit code says that the last one did', async () => {
  const { url } = await engineWith(({ request }) =>
    request.context?.user_intent === 'bad' ? { error: { code: 'invalid_request', message: 'No.' } } : [say('fine')],
  )
  expect(await type(url, ['bad'])).toEqual({ code: 1, text: '> failed: invalid_request: No.\n> ' })
  expect((await type(url, ['bad', 'good'])).code).toBe(0)
})

test('an engine that is away is named, with what to do', async () => {
  const engine = await stubEngine(() => [])
  await engine.close()
  const { code, text } = await type(engine.url, ['hello'])
  expect([code, text]).toEqual([
    1,
    `> failed: unreachable: No engine answers at ${engine.url}. Start one (for Bridle: npm start).\n> `,
  ])
})

test('/quit lets go of a terminal that stays open', async () => {
  const input = new PassThrough()
  const output = new PassThrough()
  const code = runCli({ url: 'http://127.0.0.1:9/v1/openharness', input, output })
  input.write('/quit\n')
  expect(await code).toBe(0)
  expect(input.isPaused()).toBe(true)
})

test('a new conversation, in the same session', async () => {
  const { url, requests } = await engineWith(() => [say('fine')])
  await type(url, ['one', '/new', 'two'], 'mine')
  const contexts = requests.map(({ request }) => request.context ?? {})
  expect(contexts.map(({ session_id }) => session_id)).toEqual(['mine', 'mine'])
  expect(contexts.map(({ conversation_id }) => typeof conversation_id)).toEqual(['undefined', 'string'])
})

const realServer = async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-cli-shell-'))
  const server = await startDevServer({ port: 0, data, log: () => {}, tokenPaceMs: 0 })
  closing.push(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })
  return server
}

test('talks to a real server, which keeps the session', async () => {
  const server = await realServer()
  const script = (text: string) => `@script ${JSON.stringify([{ text }])}`
  const { code, text } = await type(
    `${server.url}/v1/openharness`,
    [script('It is noon.'), script('It is night.')],
    'watch',
  )
  expect([code, text]).toEqual([0, '> It is noon.\n> It is night.\n> '])
  const card = (await (await fetch(`${server.url}/sessions/watch`)).json()) as { status: string }
  expect(card.status).toBe('idle')
})

test('a question of a real run is answered by number', async () => {
  const server = await realServer()
  const asking = `@script ${JSON.stringify([{ approve: 'write', args: { path: 'a.txt' } }, { text: 'Done.' }])}`
  const { code, text } = await type(`${server.url}/v1/openharness`, [asking, '1'], 'asks')
  expect(code).toBe(0)
  expect(text).toMatch(/\n {2}write \{"path":"a\.txt"\}\n {2}1\. Approve\n {2}2\. Deny\nanswer> Done\.\n> $/)
})

test('questions and a form of a real run are answered by number, in words and field by field', async () => {
  const server = await realServer()
  const schema = { type: 'object', properties: { port: { type: 'integer' }, host: { type: 'string' } } }
  const days = { id: 'days', question: 'Which days?', options: ['Monday', 'Tuesday', 'Friday'], multi_select: true }
  const asking = `@script ${JSON.stringify([
    { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] },
    { ask: { questions: [{ id: 'name', question: 'What name?', allow_free_text: true }, days] } },
    { ask: { schema } },
    { text: 'Done.' },
  ])}`
  const lines = [asking, '2', 'Ann', '1, 3', '80', 'a.example']
  const { code, text } = await type(`${server.url}/v1/openharness`, lines, 'questions')
  expect(code).toBe(0)
  expect(text).toContain('Which database?\n  1. SQLite\n  2. PostgreSQL\nanswer> What name?\nanswer> Which days?\n')
  expect(text).toMatch(/answer> Done\.\n> $/)
  const { messages } = (await (await fetch(`${server.url}/agents/scripted/questions`)).json()) as {
    messages: { toolCalls?: { result?: unknown }[] }[]
  }
  expect(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ result }) => result))).toEqual([
    { answers: { db: 'PostgreSQL' } },
    { answers: { name: 'Ann', days: ['Monday', 'Friday'] } },
    { values: { port: 80, host: 'a.example' } },
  ])
})
