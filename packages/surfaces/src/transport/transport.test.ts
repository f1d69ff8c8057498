// The transport without sockets: a fake far end, the real session behind it.

import { scriptedIdentity } from '@bridle/agents/in-process/engine-identities'
import type { JsonObject } from '@bridle/events/json'
import { acceptPrompt } from '@bridle/kernel/agent-info'
import { applyOperations, type DeltaOperation } from '@bridle/kernel/delta'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import { StoredUploads } from '@bridle/stores/uploads/stored-uploads'
import { memoryUploadFolder } from '@bridle/stores/uploads/upload-folder'
import { describe, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../http/access/authenticate.ts'
import { type Socket, type SocketOpener, type SocketReceiver, upgradeSocket } from '../http/streams/socket-route.ts'
import { testApp } from '../http/test-app.suite.ts'
import { scriptBody } from '../http/test-client.suite.ts'
import { transportSocketRoutes } from './routes.ts'

type Message = { type: string; [name: string]: unknown }

/** A client as the bare document describes it: it renders the state that the server sends. */
class FakeTransportClient implements Socket {
  readonly messages: Message[] = []
  state: HarnessState | null = null
  closedWith: number | null = null
  stuck = 0
  receiver: SocketReceiver | null = null

  acknowledge?: (seq: number) => void

  send(messages: readonly string[], _seq?: number): void {
    for (const text of messages) {
      const message = JSON.parse(text) as Message
      this.messages.push(message)
      if (message.type === 'state') this.state = message.state as HarnessState
      if (message.type === 'delta' && this.state)
        this.state = applyOperations(this.state, message.operations as DeltaOperation[])
    }
  }
  close(code: number): void {
    this.closedWith = code
  }
  buffered = () => this.stuck
  drained = async () => {}

  async say(...commands: object[]): Promise<void> {
    await this.receiver?.onMessage(JSON.stringify({ type: 'commands', commands }))
  }
  of(type: string): Message[] {
    return this.messages.filter((message) => message.type === type)
  }
  leave(): void {
    this.receiver?.onClosed()
  }
  get seq(): number {
    return Number(this.messages.findLast(({ seq }) => seq !== undefined)?.seq)
  }
}

const setUp = (options: Parameters<typeof testApp>[0] = {}) => {
  const { app, host, post, advance } = testApp(options)
  const ask = (query: string, headers: Record<string, string> = {}) =>
    upgradeSocket(transportSocketRoutes, new Request(`http://127.0.0.1/ws${query}`, { headers }), '', app.ports)
  const connect = async (query = '?userId=ann', headers = {}): Promise<FakeTransportClient> => {
    const opener = (await ask(query, headers)) as SocketOpener
    const client = new FakeTransportClient()
    client.receiver = opener(client)
    return client
  }
  return { ask, connect, host, post, advance }
}

const until = async (done: () => boolean): Promise<void> => {
  for (let turns = 0; !done() && turns < 2_000; turns++) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(done()).toBe(true)
}
const idle = (client: FakeTransportClient) => () => client.state?.status === 'idle' && client.state.messages.length > 0
const submit = (...steps: unknown[]) => ({ type: 'submit', ...scriptBody(...steps) })

describe('states and deltas', () => {
  test('[T24] a state without an error has no such field, also after a turn that failed', async () => {
    const { connect } = setUp()
    const clients = [await connect(), await connect(), await connect()]
    const [first, second] = clients
    await first?.say(submit({ fail: 'No.' }))
    await until(() => second?.state?.status === 'error')
    expect((await connect()).state).toMatchObject({ status: 'error', error: 'No.' })
    await second?.say(submit({ text: 'better' }))
    await until(() => clients.every((client) => client.state?.messages.at(-1)?.status === 'complete'))
    // A client that applies operations to a copy of its own has a text at every moment, as the document says.
    expect(first?.state).toHaveProperty('error', '')
    const sets = (first?.of('delta') ?? []).flatMap(({ operations }) => operations as DeltaOperation[])
    expect(sets.filter(({ path }) => path[0] === 'error').map(({ value }) => value)).toEqual(['No.', ''])
    const { state } = await connect()
    expect(state).not.toHaveProperty('error')
    for (const client of clients) expect({ ...client.state, error: undefined }).toEqual({ ...state, error: undefined })
  })

  test('[S5] cancel after a failed turn is idle again, for everybody', async () => {
    const { connect } = setUp()
    const clients = [await connect(), await connect(), await connect()]
    for (const round of ['one', 'two']) {
      await clients[0]?.say(submit({ fail: round }))
      await until(() => clients.every(({ state }) => state?.status === 'error' && state.error === round))
      await clients[1]?.say({ type: 'cancel' })
      await until(() => clients.every(({ state }) => state?.status === 'idle' && !state.error))
    }
    const { state } = await connect()
    expect(state).toMatchObject({ status: 'idle', sessionStatus: 'idle' })
    expect(state?.messages.map(({ status }) => status)).toEqual(['complete', 'error', 'complete', 'error'])
  })

  test('[T22] the result of a call is sent once', async () => {
    const { connect } = setUp()
    const client = await connect()
    const result = { rows: ['a needle', 2] }
    await client.say(submit({ tool: 'search', args: {}, result }, { tool: 'again', args: {}, result }))
    await until(idle(client))
    const operations = client.of('delta').flatMap((delta) => delta.operations as DeltaOperation[])
    expect(operations.filter(({ path }) => path.at(-1) === 'result')).toMatchObject([
      { value: result },
      { value: result },
    ])
    expect(client.state?.messages.at(-1)?.toolCalls).toMatchObject([{ result }, { result }])
  })

  test('[T23] long prompts that wait are sent in part, and whole when their turn starts or they are dropped', async () => {
    const { connect } = setUp()
    const client = await connect()
    const prompts = ['a', 'b', 'c', 'd'].map((name) => `@script [{"text":"${name}"}]${' '.repeat(100_000)}`)
    await client.say(submit({ text: 'first' }))
    await until(idle(client))
    await client.say({ type: 'pause' }, ...prompts.map((prompt) => ({ type: 'submit', prompt })))
    await until(() => client.state?.messages.length === 6)
    const shown = (state: HarnessState | null) =>
      state?.messages
        .flatMap(({ role, content, contentLength }) => (role === 'user' ? [[content, contentLength]] : []))
        .slice(1)
    const parts = prompts.map((prompt) => [prompt.slice(0, 20_000), prompt.length])
    expect(shown(client.state)).toEqual(parts)
    const dropped = client.state?.messages[4]?.runId
    await client.say({ type: 'cancel', runId: dropped })
    await until(() => client.state?.messages[4]?.status === 'complete')
    const wholes = prompts.map((prompt) => [prompt, undefined])
    expect(shown(client.state)).toEqual([parts[0], parts[1], wholes[2], parts[3]])
    await client.say({ type: 'resume' })
    await until(
      () => client.state?.messages.filter(({ content }) => 'abd'.includes(content)).length === 3 && idle(client)(),
    )
    expect(shown(client.state)).toEqual(wholes)
    expect(shown((await connect()).state)).toEqual(wholes)
    // Whole once each, the dropped one again with two moves, the rest in part.
    expect(JSON.stringify(client.of('delta')).length).toBeLessThan(6 * 100_000 + 15 * 20_000)
  })
})

describe('connecting', () => {
  test('[T3] the first message is the state', async () => {
    const { connect } = setUp()
    expect((await connect()).messages).toEqual([
      { type: 'state', state: { status: 'idle', messages: [], sessionStatus: 'idle', approvals: [] }, seq: 0 },
    ])
  })

  test.each<[string, number]>([
    ['', 400],
    ['?userId=', 400],
    ['?sessionId=a%2Fb', 400],
    ['?userId=ann&after=soon', 400],
  ])('[T1] /ws%s is %i', async (query, status) => {
    const answer = await setUp().ask(query)
    expect(answer).toBeInstanceOf(Response)
    expect((answer as Response).status).toBe(status)
  })

  test.each<[string, number]>([
    ['?userId=ann&agent=nobody', 4004],
    ['?sessionId=new&agent=__proto__', 4004],
  ])('[T1] /ws%s is told on the open socket, which closes with %i', async (query, code) => {
    const client = await setUp().connect(query)
    expect([client.of('error').length, client.closedWith]).toEqual([1, code])
  })

  test('[T1] a user has a session of the default agent; an odd name is hashed', async () => {
    const { connect, host } = setUp()
    const client = await connect('?userId=ann')
    await client.say(submit({ text: 'hi' }))
    expect(await host.find({ tenant: 'default', agent: 'scripted', id: 'user:ann' })).not.toBeNull()
    const odd = await connect(`?userId=${encodeURIComponent('ann smith/é')}`)
    await odd.say(submit({ text: 'hi' }))
    await until(idle(odd))
    expect(odd.state?.messages).toHaveLength(2)
    expect(client.state?.messages).toHaveLength(2)
  })

  test('[T1] a session of another wire, and one that two agents have', async () => {
    const { connect, post } = setUp()
    await post('/agents/hooked/s1', scriptBody({ text: 'over HTTP' }))
    expect((await connect('?sessionId=s1')).state?.messages.at(-1)?.content).toBe('over HTTP')
    await post('/agents/scripted/s1', scriptBody({ text: 'other' }))
    // The id still means the first one.
    expect((await connect('?sessionId=s1')).state?.messages.at(-1)?.content).toBe('over HTTP')
    expect((await connect('?sessionId=s1&agent=scripted')).state?.messages.at(-1)?.content).toBe('other')
  })

  test('[T1] a credential that names a user opens that user’s session only', async () => {
    const { ask } = setUp({ tokens: [{ token: 't', user: 'ann' }] })
    const headers = { authorization: 'Bearer t' }
    expect(await ask('?userId=ann', headers)).toBeInstanceOf(Function)
    expect(((await ask('?userId=bob', headers)) as Response).status).toBe(403)
    expect(((await ask('?userId=ann')) as Response).status).toBe(401)
  })

  test('[T3] a snapshot has the number of the log, also behind events that change no state', async () => {
    const { connect, host, post } = setUp()
    const first = await connect('?sessionId=s1')
    await first.say(submit({ text: 'one' }, { sleepMs: 60_000 }))
    await until(() => first.state?.messages.at(-1)?.content === 'one')
    await post('/sessions/s1/pause', {})
    const session = await host.open({ tenant: 'default', agent: 'scripted', id: 's1' })
    // The runner confirms that it stopped, which is in the log and in no state.
    await until(() => session.state.lifecycle.run?.stopRequestedAt === null)
    const later = []
    for (const _client of [1, 2]) later.push(await connect('?sessionId=s1'))
    expect(later.map(({ seq }) => seq)).toEqual([session.state.head, session.state.head])
    expect(later.map(({ messages }) => messages.length)).toEqual([1, 1])
    await post('/sessions/s1/resume', {})
    await post('/sessions/s1/cancel', { queue: true })
    const clients = [first, ...later]
    await until(() => clients.every(({ state }) => state?.status === 'idle'))
    for (const client of clients) {
      expect(client.state).toEqual(session.state.conversation)
      const numbered = client.messages.filter(({ type }) => type === 'delta' || type === 'state')
      expect(numbered.slice(1).map(({ prev }) => prev)).toEqual(numbered.slice(0, -1).map(({ seq }) => seq))
    }
  })

  test('[T5] a client that leaves does not stop the run, and two see the same deltas', async () => {
    const { connect } = setUp()
    const [first, second] = [await connect(), await connect()]
    await first.say(submit({ sleepMs: 5 }, { text: 'still here', chunks: 5 }))
    first.leave()
    await until(idle(second))
    expect(second.state?.messages.at(-1)?.content).toBe('still here')
    const third = await connect()
    expect(third.state).toEqual(second.state)
  })
})

describe('deltas', () => {
  test('the typical flow, in the document’s order', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say(submit({ text: 'Hello world', chunks: 2 }, { tool: 'Read', id: 'c1', result: 1 }, { text: '!' }))
    await until(idle(client))
    const told = client.of('delta').flatMap(({ operations }) => operations as DeltaOperation[])
    const first = (wish: (operation: DeltaOperation) => boolean) => told.findIndex(wish)
    const sets = (path: string, value?: unknown) => (operation: DeltaOperation) =>
      operation.type === 'set' &&
      operation.path.join('/') === path &&
      (value === undefined || operation.value === value)
    const order = [
      first(sets('messages/0')),
      first(sets('messages/1')),
      first(sets('status', 'running')),
      first(sets('messages/1/status', 'streaming')),
      first((operation) => operation.type === 'append-text'),
      first(sets('messages/1/toolCalls/0')),
      first(sets('messages/1/toolCalls/0/status', 'complete')),
      first(sets('messages/1/status', 'complete')),
      first(sets('status', 'idle')),
    ]
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(client.state).toMatchObject({
      status: 'idle',
      messages: [
        { role: 'user', status: 'complete' },
        {
          role: 'assistant',
          content: 'Hello world!',
          status: 'complete',
          toolCalls: [{ id: 'c1', name: 'Read', status: 'complete' }],
        },
      ],
    })
  })

  test('[T10] each delta starts where the last one ended', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say(
      submit({ text: 'abc', chunks: 3, everyMs: 1 }, { event: { type: 'usage', payload: {} } }, { text: 'd' }),
    )
    await until(idle(client))
    await client.say(submit({ text: 'more' }))
    await until(() => client.state?.messages.length === 4 && client.state.status === 'idle')
    let last = Number(client.messages[0]?.seq)
    for (const { seq, prev } of client.of('delta')) {
      expect(prev).toBe(last)
      last = Number(seq)
    }
  })

  test('[T11] text on text is one operation', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say(submit({ text: 'x'.repeat(500), chunks: 500 }))
    await until(idle(client))
    for (const { operations } of client.of('delta')) {
      const appended = (operations as DeltaOperation[]).filter(({ type }) => type === 'append-text')
      expect(appended.length).toBeLessThanOrEqual(1)
    }
  })

  test('[T4] every gap is resumed to the same state, or answered by a whole one', async () => {
    const { connect } = setUp()
    const whole = await connect()
    await whole.say(submit({ text: 'abcdefgh', chunks: 8, everyMs: 1 }, { approve: 'go', id: 'c1' }))
    await until(() => whole.state?.approvals?.length === 1)
    const states = new Map<number, HarnessState>()
    let state = whole.messages[0]?.state as HarnessState
    states.set(Number(whole.messages[0]?.seq), state)
    for (const { operations, seq } of whole.of('delta')) {
      state = applyOperations(state, operations as DeltaOperation[])
      states.set(Number(seq), state)
    }
    for (const [seq, had] of states) {
      const client = await connect(`?userId=ann&after=${seq}`)
      const told = client.messages
      expect(told.every(({ type }) => type === 'delta')).toBe(true)
      const now = told.reduce((kept, { operations }) => applyOperations(kept, operations as DeltaOperation[]), had)
      expect(now).toEqual(whole.state)
    }
    expect((await connect(`?userId=ann&after=${whole.seq}`)).messages).toMatchObject([
      { type: 'delta', operations: [] },
    ])
    expect((await connect('?userId=ann&after=999')).messages[0]?.type).toBe('state')
  })

  test('[T4] a cursor of a session that was removed and made again gets the whole state', async () => {
    const { connect, host } = setUp()
    const client = await connect()
    await client.say(submit({ text: 'old' }))
    await until(idle(client))
    await host.remove({ tenant: 'default', agent: 'scripted', id: 'user:ann' })
    const after = `?userId=ann&after=${client.seq}`
    expect((await connect(after)).messages[0]).toMatchObject({ type: 'state', state: { messages: [] } })
    const next = await connect()
    await next.say(submit({ text: 'new' }))
    await until(idle(next))
    expect((await connect(after)).messages[0]).toMatchObject({ type: 'state', state: next.state })
  })

  test('a state larger than a slow reader’s allowance gets through', async () => {
    const { connect } = setUp()
    const first = await connect()
    for (let turn = 0; turn < 4; turn++) {
      await first.say(submit({ text: 'x'.repeat(700_000) }))
      await until(() => first.state?.messages.length === (turn + 1) * 2 && first.state.status === 'idle')
    }
    const slow = await connect()
    slow.stuck = JSON.stringify(slow.messages[0]).length
    await first.say(submit({ text: 'more' }))
    await until(() => first.state?.messages.length === 10 && first.state.status === 'idle')
    expect([slow.closedWith, slow.state]).toEqual([null, first.state])
    // Nor is it behind when it asks something meanwhile.
    await slow.receiver?.onMessage('{"type":"ping","ts":5}')
    expect([slow.closedWith, slow.of('pong').length]).toEqual([null, 1])
    slow.stuck += 2_000_001
    await slow.receiver?.onMessage('{"type":"ping","ts":6}')
    expect([slow.closedWith, slow.of('pong').length]).toEqual([4008, 1])
  })

  test('[T18] a slow client is cut, and nobody else', async () => {
    const { connect } = setUp()
    const [slow, quick] = [await connect(), await connect()]
    slow.stuck = 100_000_000
    await quick.say(submit({ text: 'hello' }))
    await until(idle(quick))
    expect([slow.closedWith, quick.closedWith]).toEqual([4008, null])
  })

  test('[T18] a removed session closes with 4004', async () => {
    const { connect, host } = setUp()
    const client = await connect()
    await client.say(submit({ text: 'x' }))
    await until(idle(client))
    await host.remove({ tenant: 'default', agent: 'scripted', id: 'user:ann' })
    expect(client.closedWith).toBe(4004)
  })
})

describe('commands', () => {
  const bad = [
    '{',
    '[]',
    'null',
    '{"type":"commands"}',
    '{"type":"commands","commands":{}}',
    '{"type":"nonsense"}',
    '{"type":"commands","commands":[{"type":"submit"}]}',
    '{"type":"commands","commands":[{"type":"submit","prompt":1}]}',
    '{"type":"commands","commands":[{"type":"fly"}]}',
    '{"type":"commands","commands":[{"type":"submit","prompt":"fine"},{"type":"cancel","runId":7}]}',
    '{"type":"commands","commands":[{"type":"submit","prompt":"x","commandId":"a b"}]}',
    `{"type":"commands","commands":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    null,
  ]
  test.each(bad)('[T12] %# is one error, and nothing is applied', async (text) => {
    const { connect } = setUp()
    const client = await connect()
    await client.receiver?.onMessage(text)
    expect(client.messages.slice(1)).toEqual([{ type: 'error', message: expect.any(String) }])
    expect([client.closedWith, client.state?.messages]).toEqual([null, []])
    await client.say(submit({ text: 'works' }))
    await until(idle(client))
  })

  test('[T12] the error names the command it blames, where that has an id', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say({ type: 'submit', prompt: 'x', commandId: 'c1' }, { type: 'submit', commandId: 'c2' })
    expect(client.messages.slice(1)).toMatchObject([{ type: 'error', commandId: 'c2' }])
  })

  test('[T13] a refused command without an id is an error', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say({ type: 'submit', prompt: '  ' })
    await client.say({ type: 'resume' })
    await client.say({ type: 'cancel' })
    expect(client.messages.slice(1)).toEqual([
      { type: 'error', message: 'The prompt is empty.' },
      { type: 'error', message: 'There is no such session.' },
    ])
  })

  test('[T13] with an id each gets one ack, in order', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say(
      { ...submit({ sleepMs: 60_000 }), commandId: 'c1' },
      { ...submit({ text: 'second' }), commandId: 'c2' },
      { type: 'reload', commandId: 'c3' },
      { type: 'cancel', commandId: 'c4' },
    )
    expect(client.of('ack')).toMatchObject([
      { commandId: 'c1', ok: true, answer: { delivery: 'started' } },
      { commandId: 'c2', ok: true, answer: { delivery: 'queued' } },
      { commandId: 'c3', ok: false, code: 'run_active' },
      { commandId: 'c4', ok: true, answer: { cancelled: true } },
    ])
  })

  test('[T14] one id is one effect on every connection', async () => {
    const { connect } = setUp()
    const [first, second] = [await connect(), await connect()]
    const command = { ...submit({ text: 'once' }), commandId: 'c1' }
    await Promise.all([first.say(command), second.say(command), first.say(command)])
    await second.say({ ...submit({ text: 'other' }), commandId: 'c1' })
    await until(idle(first))
    expect(first.state?.messages).toHaveLength(2)
    expect(second.of('ack').map(({ ok, code }) => [ok, code])).toEqual([
      [true, undefined],
      [false, 'command_conflict'],
    ])
    expect(first.of('ack')[0]?.answer).toEqual(second.of('ack')[0]?.answer)
  })

  test.each<[readonly Scope[], string[]]>([
    [['observe'], ['forbidden', 'forbidden', 'forbidden']],
    [
      ['observe', 'operate'],
      ['', 'forbidden', 'forbidden'],
    ],
    [
      ['observe', 'approve'],
      ['forbidden', 'session_not_found', 'forbidden'],
    ],
    [SCOPES, ['', 'approval_not_found', 'approval_not_found']],
  ])('[T15] [H79] with the scopes %j', async (scopes, codes) => {
    const { connect } = setUp({ tokens: [{ token: 't', scopes }] })
    const client = await connect('?userId=ann', { authorization: 'Bearer t' })
    await client.say(
      { ...submit({ text: 'x' }), commandId: 'c1' },
      { type: 'approve', approvalId: 'apr-1', decision: 'approved', commandId: 'c2' },
      { type: 'approve', approvalId: 'apr-1', decision: 'approved', pause: true, commandId: 'c3' },
    )
    expect(client.of('ack').map(({ code }) => code ?? '')).toEqual(codes)
  })

  test('approve with other arguments, and the approval is in every snapshot until then', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say(submit({ approve: 'write', id: 'c1', args: { p: 1 } }, { text: 'after' }))
    await until(() => client.state?.approvals?.length === 1)
    const late = await connect()
    const [asked] = late.state?.approvals ?? []
    expect(asked).toMatchObject({ toolCallId: 'c1', toolName: 'write', arguments: { p: 1 } })
    expect(late.state?.messages[1]?.toolCalls?.[0]).toMatchObject({
      status: 'running',
      approval: { status: 'pending' },
    })
    await late.say({ type: 'approve', approvalId: asked?.id, decision: 'approved', args: { p: 2 } })
    await until(idle(client))
    expect(client.state?.messages[1]).toMatchObject({
      content: 'after',
      toolCalls: [{ arguments: { p: 2 }, outcome: 'ok' }],
    })
  })

  test('edit and reload go back; cancel ends the message as complete', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say(submit({ text: 'one' }))
    await until(idle(client))
    const asked = client.state?.messages[0]
    await client.say({ type: 'edit', messageId: asked?.id, prompt: `@script ${JSON.stringify([{ text: 'two' }])}` })
    await until(() => client.state?.messages[1]?.content === 'two' && client.state.status === 'idle')
    expect(client.state?.messages).toHaveLength(2)
    await client.say({ type: 'reload' })
    await until(() => client.state?.status === 'idle' && client.state.messages[1]?.status === 'complete')
    await client.say(submit({ text: 'so far ' }, { sleepMs: 60_000 }))
    await until(() => client.state?.messages[3]?.content === 'so far ')
    await client.say({ type: 'cancel' })
    expect(client.state).toMatchObject({
      status: 'idle',
      messages: [{}, {}, {}, { status: 'complete', stopReason: 'cancelled' }],
    })
  })

  test('[T16] branch answers where to connect, and the parent is as it was', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.say(submit({ text: 'one' }))
    await until(idle(client))
    await client.say(submit({ text: 'two' }))
    await until(() => client.state?.messages.length === 4 && client.state.status === 'idle')
    const before = structuredClone(client.state)
    await client.say({ type: 'branch', messageId: client.state?.messages[2]?.id, commandId: 'b1' })
    const answer = client.of('ack')[0]?.answer as { sessionId: string }
    const child = await connect(`?sessionId=${answer.sessionId}`)
    expect(child.state?.messages.map(({ content }) => content).at(-1)).toBe('one')
    await child.say(submit({ text: 'elsewhere' }))
    await until(() => child.state?.messages.length === 4 && child.state.status === 'idle')
    expect(client.state).toEqual(before)
    await client.say(
      { type: 'branch', messageId: 'm-999', commandId: 'b2' },
      { type: 'branch', seq: 9_999, commandId: 'b3' },
    )
    expect(client.of('ack').slice(1)).toMatchObject([{ code: 'message_not_found' }, { code: 'bad_branch_point' }])
  })

  test('[T19] what a client has seen is told to the target; every message says how far it brings', async () => {
    const { connect } = setUp()
    const client = await connect()
    const brought: (number | undefined)[] = []
    const seen: number[] = []
    const { send } = client
    client.send = (messages, seq) => {
      brought.push(seq)
      send.call(client, messages)
    }
    client.acknowledge = (seq) => seen.push(seq)
    await client.say(submit({ text: 'hi' }))
    await until(idle(client))
    expect(brought).toEqual(client.messages.slice(1).map(({ seq }) => seq))
    for (const seq of [7, 0, 99]) await client.receiver?.onMessage(JSON.stringify({ type: 'seen', seq }))
    expect(seen).toEqual([7, 0, 99])
    for (const seq of [-1, 1.5, '7', null]) await client.receiver?.onMessage(JSON.stringify({ type: 'seen', seq }))
    await client.receiver?.onMessage('{"type":"seen"}')
    expect([seen.length, client.of('error').length, client.closedWith]).toEqual([3, 5, null])
  })

  test('[T17] a ping is answered with its own time', async () => {
    const { connect } = setUp()
    const client = await connect()
    await client.receiver?.onMessage('{"type":"ping","ts":5}')
    expect(client.of('pong')).toEqual([{ type: 'pong', ts: 5 }])
  })
})

test('[T29] [OH108] steer and edit name uploaded files', async () => {
  const uploads = new StoredUploads(memoryUploadFolder(), () => 0)
  const { connect } = setUp({ uploads })
  const file = { tenant: 'default', owner: null, name: 'a.txt', mimeType: 'text/plain' }
  const added = await Promise.all([1, 2, 3].map((byte) => uploads.add(file, Uint8Array.of(byte))))
  const [first = '', second = '', foreign = ''] = added.map((upload) => upload?.id)
  await uploads.claim(foreign, { tenant: 'default', agent: 'scripted', id: 'another' })
  const client = await connect('?userId=ann')
  const attachments = (...ids: string[]) => ids.map((ref_id) => ({ ref_id }))
  const { prompt } = submit({ text: 'Fine.' })
  const inputs = () =>
    (client.state?.messages ?? []).filter(({ role }) => role === 'user').map((message) => message.input)
  const known = (ref_id: string) => ({ ref_id, filename: 'a.txt', mime_type: 'text/plain', size_bytes: 1 })
  await client.say({ type: 'steer', commandId: 's1', prompt, attachments: attachments(first) })
  await until(() => client.of('ack').length === 1 && idle(client)())
  expect(inputs()).toEqual([{ prompt, attachments: [known(first)] }])
  const [message] = client.state?.messages ?? []
  const edit = { type: 'edit', messageId: message?.id ?? '', prompt } as const
  await client.say(
    { ...edit, commandId: 'e1', attachments: attachments(foreign) },
    { type: 'steer', commandId: 's2', prompt, attachments: attachments(first, 'file-unknown') },
    { ...edit, commandId: 'e2', attachments: attachments(first, second) },
  )
  await until(() => client.of('ack').length === 4 && idle(client)())
  expect(
    client
      .of('ack')
      .map(({ commandId, ok, message: problem }) => [commandId, ok, problem && String(problem).split(':')[0]]),
  ).toEqual([
    ['s1', true, undefined],
    ['e1', false, 'attachments.0.ref_id'],
    ['s2', false, 'attachments.1.ref_id'],
    ['e2', true, undefined],
  ])
  expect(inputs()).toEqual([{ prompt, attachments: [known(first), known(second)] }])
})

test('[T29] a submit names uploaded files, and is refused where one may not be used', async () => {
  const uploads = new StoredUploads(memoryUploadFolder(), () => 0)
  const { connect } = setUp({ uploads })
  const file = { tenant: 'default', owner: null, name: 'a.txt', mimeType: 'text/plain' }
  const added = await Promise.all([1, 2].map((byte) => uploads.add(file, Uint8Array.of(byte))))
  const [first = '', second = ''] = added.map((upload) => upload?.id)
  const foreign = (await uploads.add({ ...file, tenant: 'other' }, Uint8Array.of(3)))?.id
  const [ann, bob] = [await connect('?userId=ann'), await connect('?userId=bob')]
  const naming = (commandId: string, ...ids: unknown[]) => ({
    ...submit({ text: 'Fine.' }),
    commandId,
    attachments: ids.map((ref_id) => ({ ref_id })),
  })
  await ann.say(naming('c1', first), naming('c1', first), naming('c2', first, second))
  await until(() => ann.of('ack').length === 3)
  await bob.say(naming('c3', first), naming('c4', foreign), naming('c5', 'file-unknown'), submit({ text: 'Fine.' }))
  await until(() => bob.of('ack').length === 3)
  expect(bob.of('ack').map(({ ok, code, message }) => [ok, code, String(message).split(':')[0]])).toEqual(
    Array.from({ length: 3 }, () => [false, 'bad_request', 'attachments.0.ref_id']),
  )
  expect([uploads.find(first)?.session?.id, uploads.find(second)?.session?.id]).toEqual(['user:ann', 'user:ann'])
  await until(idle(bob))
})

test('[H210] a prompt names the model and the effort of its turn, and the agent may refuse them', async () => {
  const accept = async (body: JsonObject) =>
    body.model === 'large' ? { problem: 'Not the large one.' } : acceptPrompt(body)
  const scripted = { ...scriptedIdentity, name: 'scripted', description: '', webhook: false, needs: null, accept }
  const { connect } = setUp({ agents: new Map([['scripted', scripted]]) })
  const clients = await Promise.all(['ann', 'bob', 'eve'].map((user) => connect(`?userId=${user}`)))
  const [ann, bob, eve] = clients as [FakeTransportClient, FakeTransportClient, FakeTransportClient]
  const { prompt } = scriptBody({ text: 'Done.' })
  const choices = [{ model: 'small', effort: 'low' }, { effort: 'high' }, {}]
  for (const [at, client] of clients.entries()) await client.say({ type: 'submit', prompt, ...choices[at] })
  await ann.say({ type: 'submit', commandId: 'c1', prompt, model: 'large' })
  await bob.say({ type: 'submit', commandId: 'c2', prompt, model: 7 })
  for (const client of clients) await until(idle(client))
  const inputs = ({ state }: FakeTransportClient) =>
    state?.messages.flatMap(({ input, role }) => (role === 'user' ? [input] : []))
  expect([ann, bob, eve].map(inputs)).toEqual([
    [{ prompt, model: 'small', effort: 'low' }],
    [{ prompt, effort: 'high' }],
    [undefined],
  ])
  expect(ann.of('ack')).toEqual([
    { type: 'ack', commandId: 'c1', ok: false, code: 'bad_request', message: 'Not the large one.' },
  ])
  expect(bob.of('error').length).toBe(1)
})
