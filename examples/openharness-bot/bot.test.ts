import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevServer } from 'bridle/node'
import { afterEach, expect, test, vi } from 'vitest'
import { question, type StubAnswer, say, stubEngine } from '../stub-engine.suite.ts'
import { type BotMessage, startBot } from './bot.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const engineWith = async (answer: StubAnswer) => {
  const engine = await stubEngine(answer)
  closing.push(engine.close)
  return engine
}

const botFor = async (url: string) => {
  const messages: BotMessage[] = []
  const deliver = async (message: BotMessage) => {
    messages.push(message)
  }
  const bot = await startBot({ url, secret: 'secret', port: 0, deliver })
  closing.push(bot.close)
  const call = async (body: unknown, signature?: string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const right = createHmac('sha256', 'secret').update(text).digest('hex')
    const headers = { 'x-im-signature': signature ?? right }
    return (await fetch(bot.url, { method: 'POST', headers, body: text })).status
  }
  return { call, messages, url: bot.url }
}

const WAIT = { timeout: 20_000 }
const echo: StubAnswer = ({ request }) => [say(`${request.context?.session_id}: ${request.context?.user_intent}`)]

test('chats are sessions of their own, and a chat keeps its order', async () => {
  const engine = await engineWith(echo)
  const { call, messages } = await botFor(engine.url)
  const calls = ['a', 'b', 'a', 'b'].map((chat, index) => ({ id: `m${index}`, chat, text: `text ${index}` }))
  for (const each of calls) expect(await call(each)).toBe(202)
  await vi.waitFor(() => expect(messages).toHaveLength(4), WAIT)
  const texts = (chat: string) => messages.filter((each) => each.chat === chat).map(({ text }) => text)
  expect(texts('a')).toEqual(['im-a: text 0', 'im-a: text 2'])
  expect(texts('b')).toEqual(['im-b: text 1', 'im-b: text 3'])
  expect(engine.requests[0]?.request.context?.shell).toMatchObject({ shell_kind: 'im_bot' })
})

test('chats may have the same ids of messages', async () => {
  const { url } = await engineWith(echo)
  const { call, messages } = await botFor(url)
  for (const chat of ['a', 'b', 'c', 'a']) expect(await call({ id: 'm1', chat, text: 'hello' })).toBe(202)
  await vi.waitFor(() => expect(messages.map(({ chat }) => chat).toSorted()).toEqual(['a', 'b', 'c']), WAIT)
})

test('a call that the platform repeats has one effect', async () => {
  const engine = await engineWith(echo)
  const { call, messages } = await botFor(engine.url)
  const first = { id: 'm1', chat: 'a', text: 'hello' }
  for (const each of [first, first, first, { ...first, id: 'm2' }]) expect(await call(each)).toBe(202)
  await vi.waitFor(() => expect(messages).toHaveLength(2), WAIT)
  expect(engine.requests.map(({ request_id }) => request_id)).toEqual(['im-m1', 'im-m2'])
})

test('a question becomes buttons, and a button answers it, also after a restart of the bot', async () => {
  const engine = await engineWith(({ request }) => {
    const token = request.context?.continuation?.continuation_token
    return token ? [say(`got ${token}`)] : [question('r1')]
  })
  const before = await botFor(engine.url)
  await before.call({ id: 'm1', chat: 'a', text: 'close it' })
  await vi.waitFor(() => expect(before.messages).toHaveLength(1), WAIT)
  expect(before.messages).toEqual([
    {
      chat: 'a',
      text: 'May r1 go on?\nclose_issue {"number":7}',
      buttons: [
        { label: 'Approve', value: 'yes-r1' },
        { label: 'Deny', value: 'no-r1' },
      ],
    },
  ])
  const after = await botFor(engine.url)
  await after.call({ id: 'm2', chat: 'a', button: before.messages[0]?.buttons?.[1] })
  await vi.waitFor(() => expect(after.messages).toEqual([{ chat: 'a', text: 'got no-r1' }]), WAIT)
  const tokens = engine.requests.map(({ request }) => request.context?.continuation?.continuation_token)
  expect(tokens).toEqual([undefined, 'no-r1'])
})

test('a question for a text is answered by the next message', async () => {
  const ask = question('r1')
  const { url } = await engineWith(() => [{ ...ask, payload: { ...ask.payload, tool: 'user.input' } }])
  const { call, messages } = await botFor(url)
  await call({ id: 'm1', chat: 'a', text: 'start' })
  await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT)
  expect(messages).toEqual([{ chat: 'a', text: 'May r1 go on?', buttons: [{ label: 'Deny', value: 'no-r1' }] }])
})

test('does not execute what needs approval, and shows the text of what it does not know', async () => {
  const engine = await engineWith(() => [
    { action_type: 'render_message', requires_user_approval: true, payload: { text: 'never' } },
    { action_type: 'simulate_action', payload: { macro: 'cmd+q', message: 'Press cmd+q, please.' } },
  ])
  const { call, messages } = await botFor(engine.url)
  await call({ id: 'm1', chat: 'a', text: 'hello' })
  await vi.waitFor(() => expect(messages).toEqual([{ chat: 'a', text: 'Press cmd+q, please.' }]), WAIT)
})

test('tells the chat that a turn failed, by its code alone', async () => {
  const engine = await engineWith(() => ({ error: { code: 'forbidden', message: 'internal words' } }))
  const { call, messages } = await botFor(engine.url)
  await call({ id: 'm1', chat: 'a', text: 'hello' })
  const text = 'Sorry, this did not work (forbidden).'
  await vi.waitFor(() => expect(messages).toEqual([{ chat: 'a', text }]), WAIT)
})

test('refuses calls that are not signed, not whole, too large, or elsewhere', async () => {
  const engine = await engineWith(echo)
  const { call, url } = await botFor(engine.url)
  const message = { id: 'm1', chat: 'a', text: 'hello' }
  for (const signature of ['', 'ff', '00'.repeat(32), 'no hex']) expect(await call(message, signature)).toBe(401)
  const wrong = ['', 'null', '[]', '{', '{"id":"m1"}', '{"id":1,"chat":"a","text":"x"}', '{"id":"m1","chat":"a"}']
  for (const body of [...wrong, { id: 'm1', chat: 'a', button: { label: 'x' } }, { id: 'm1', chat: 'a', button: 7 }])
    expect([body, await call(body)]).toEqual([body, 400])
  // The bot stops reading, so the client sees the status or a connection that is closed.
  expect([413, 'closed']).toContain(await call({ ...message, text: 'x'.repeat(70_000) }).catch(() => 'closed'))
  expect((await fetch(url)).status).toBe(404)
  expect((await fetch(url.replace('webhook', 'other'), { method: 'POST' })).status).toBe(404)
  expect(engine.requests).toEqual([])
})

const realServer = async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-bot-shell-'))
  const server = await startDevServer({ port: 0, data, log: () => {}, tokenPaceMs: 0 })
  closing.push(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })
  return server
}

test('talks to a real server: three chats, three sessions', async () => {
  const server = await realServer()
  const { call, messages } = await botFor(`${server.url}/v1/openharness`)
  for (const chat of ['a', 'b', 'c'])
    await call({ id: `m-${chat}`, chat, text: `@script ${JSON.stringify([{ text: `Hello, ${chat}.` }])}` })
  await vi.waitFor(() => expect(messages).toHaveLength(3), WAIT)
  expect(messages.toSorted((one, other) => (one.chat < other.chat ? -1 : 1))).toEqual(
    ['a', 'b', 'c'].map((chat) => ({ chat, text: `Hello, ${chat}.` })),
  )
  for (const chat of ['a', 'b', 'c']) expect((await fetch(`${server.url}/sessions/im-${chat}`)).status).toBe(200)
})

test('the button of one chat answers the question of its run, and not that of another chat', async () => {
  const server = await realServer()
  const { call, messages } = await botFor(`${server.url}/v1/openharness`)
  const asking = `@script ${JSON.stringify([{ approve: 'write', args: {} }, { text: 'Done.' }])}`
  await call({ id: 'm1', chat: 'a', text: asking })
  await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT)
  const button = messages[0]?.buttons?.find(({ label }) => label === 'Approve')
  await call({ id: 'm2', chat: 'b', button })
  await vi.waitFor(() => expect(messages).toHaveLength(2), WAIT)
  expect(messages[1]).toEqual({ chat: 'b', text: 'Sorry, this did not work (invalid_request).' })
  await call({ id: 'm3', chat: 'a', button })
  await vi.waitFor(() => expect(messages).toHaveLength(3), WAIT)
  expect(messages[2]).toEqual({ chat: 'a', text: 'Done.' })
})

test('a choice has a button for each option, and the chat learns where a form is answered', async () => {
  const server = await realServer()
  const { call, messages } = await botFor(`${server.url}/v1/openharness`)
  const schema = { type: 'object', properties: { port: { type: 'integer' } } }
  const asking = `@script ${JSON.stringify([
    { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] },
    { ask: { schema } },
    { text: 'Done.' },
  ])}`
  await call({ id: 'm1', chat: 'a', text: asking })
  await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT)
  expect([messages[0]?.text, messages[0]?.buttons?.map(({ label }) => label)]).toEqual([
    'Which database?',
    ['SQLite', 'PostgreSQL', 'Decline'],
  ])
  await call({ id: 'm2', chat: 'a', button: messages[0]?.buttons?.[1] })
  await vi.waitFor(() => expect(messages).toHaveLength(2), WAIT)
  expect(messages[1]?.text).toMatch(/The question waits in the inbox/)
  expect(messages[1]?.buttons?.map(({ label }) => label)).toEqual(['Decline'])
  await call({ id: 'm3', chat: 'a', button: messages[1]?.buttons?.[0] })
  await vi.waitFor(() => expect(messages[2]).toEqual({ chat: 'a', text: 'Done.' }), WAIT)
})
