// Commands: how they look on the wire, how they end, and what a cut does to them.

import type { HarnessCommand } from '@bridle/wire/transport/wire'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { HarnessClient, HarnessError, HeldPrompt } from '../index.ts'
import { type FakeSocket, fakeClientOf, fakeServer, openClient, settledOutcome, state } from './fake-server.suite.ts'

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const idOf = (line: FakeSocket, index = 0) => line.commands[index]?.commandId as string
const ok = (commandId: string, answer?: object) => ({ type: 'ack', commandId, ok: true, answer }) as never
const no = (commandId: string, code?: string) => ({ type: 'ack', commandId, ok: false, code, message: 'No.' }) as never
const prompts = (held: readonly HeldPrompt[]) => held.map(({ prompt }) => prompt)

/** Every command: how it is asked, and what goes over the wire. */
const commands: [string, (client: HarnessClient) => Promise<unknown>, object][] = [
  ['submit', (client) => client.submit('Hi'), { type: 'submit', prompt: 'Hi' }],
  ['steer', (client) => client.steer('left'), { type: 'steer', prompt: 'left' }],
  ['edit', (client) => client.edit('m-1', 'Ho'), { type: 'edit', messageId: 'm-1', prompt: 'Ho' }],
  ['reload', (client) => client.reload(), { type: 'reload' }],
  ['reload of one', (client) => client.reload('m-2'), { type: 'reload', messageId: 'm-2' }],
  ['branch', (client) => client.branch({ messageId: 'm-1' }), { type: 'branch', messageId: 'm-1' }],
  ['pause', (client) => client.pause(), { type: 'pause' }],
  ['signal', (client) => client.signal('paid', [1]), { type: 'signal', name: 'paid', payload: [1] }],
  ['resume', (client) => client.resume(), { type: 'resume' }],
  ['cancel', (client) => client.cancel({ runId: 'r', queue: true }), { type: 'cancel', runId: 'r', queue: true }],
  [
    'approve',
    (client) => client.approve('a', 'denied', { args: { x: 1 }, reason: 'no' }),
    { type: 'approve', approvalId: 'a', decision: 'denied', args: { x: 1 }, reason: 'no' },
  ],
]
const isPerishable = (name: string) => ['cancel', 'approve', 'signal'].includes(name)

describe('an answer', () => {
  test.each(commands)('[T13] %s is resolved by its ack', async (_name, ask, body) => {
    const { client, line } = await openClient()
    const end = settledOutcome(ask(client))
    expect(line.received).toEqual([{ type: 'commands', commands: [{ ...body, commandId: expect.any(String) }] }])
    line.tell(ok(idOf(line), { runId: 'r-1' }))
    expect(await end).toEqual({ runId: 'r-1' })
    client.close()
  })

  test('a closed client says that it is closed: no connection will come back for it', async () => {
    const { client } = await openClient()
    client.close()
    await expect(client.submit('Hi')).rejects.toMatchObject({
      code: 'not_sent',
      message: 'The client is closed, so the submit was not sent: make a new client.',
    })
  })

  test('a refusal has its code and its command', async () => {
    const { client, line } = await openClient()
    const errors: HarnessError[] = []
    client.on('error', (error) => errors.push(error))
    const asked = client.submit('Hi', { commandId: 'mine' })
    line.tell(no('mine', 'queue_full'))
    await expect(asked).rejects.toMatchObject({ code: 'queue_full', message: 'No.', commandId: 'mine' })
    expect(errors).toMatchObject([{ code: 'queue_full', commandId: 'mine' }])
    client.close()
  })

  test('a refusal without a code, an error by name, an answer to nobody', async () => {
    const { client, line } = await openClient()
    const asked = [client.pause(), client.resume()].map(settledOutcome)
    line.tell(ok('somebody-else'), no(idOf(line)), { type: 'error', message: 'No.', commandId: idOf(line, 1) })
    expect(await Promise.all(asked)).toEqual(['refused', 'bad_command'])
    line.tell(ok(idOf(line)))
    expect(client.connection.resyncs).toBe(0)
    client.close()
  })

  test('[T12] an error without a name is that of the one command nobody answers', async () => {
    const { client, line } = await openClient()
    const asked = [client.submit('a'), client.submit('b'), client.submit('c')].map(settledOutcome)
    line.tell({ type: 'error', message: 'Too deep.' }, ok(idOf(line, 0)), ok(idOf(line, 2)))
    expect(await Promise.all(asked)).toEqual([{}, 'bad_command', {}])
    client.close()
  })

  test('the same id twice is one command; with another body it is refused', async () => {
    const { client, line } = await openClient()
    const asked = [client.submit('a', { commandId: 'x' }), client.submit('a', { commandId: 'x' })].map(settledOutcome)
    expect(await settledOutcome(client.submit('b', { commandId: 'x' }))).toBe('command_conflict')
    expect(line.commands).toHaveLength(1)
    line.tell(ok('x', { runId: 'r' }))
    expect(await Promise.all(asked)).toEqual([{ runId: 'r' }, { runId: 'r' }])
    client.close()
  })

  test.each<[string, unknown]>([
    ['no prompt', { type: 'submit' }],
    ['a prompt that is no text', { type: 'steer', prompt: 5 }],
    ['an unknown type', { type: 'explode' }],
    ['an inherited type', { type: 'toString' }],
    ['an id that is none', { type: 'pause', commandId: 'a b' }],
  ])('[T12] %s: what the server cannot read is rejected by its error', async (_name, command) => {
    const { client, line } = await openClient()
    const end = settledOutcome(client.send(command as HarnessCommand))
    line.tell({ type: 'error', message: 'What?' })
    expect(await end).toBe('bad_command')
    client.close()
  })

  test('what is no JSON is not sent', async () => {
    const { client, line } = await openClient()
    const args = { n: 1n } as never
    expect(await settledOutcome(client.approve('a', 'approved', { args }))).toBe('bad_command')
    expect(line.received).toEqual([])
    client.close()
  })

  test('a server that does not know what it wrote is asked again under the same id', async () => {
    const { client, line } = await openClient()
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const asked = [client.submit('a'), client.cancel()].map(settledOutcome)
    line.tell(no(idOf(line), 'unavailable'), no(idOf(line, 1), 'unavailable'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(line.commands).toHaveLength(3)
    expect(line.commands[2]).toEqual(line.commands[0])
    line.tell(ok(idOf(line)))
    expect(await Promise.all(asked)).toEqual([{}, 'unavailable'])
    client.close()
  })

  test('but not for ever', async () => {
    const { client, line } = await openClient()
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const asked = settledOutcome(client.submit('a'))
    for (let time = 0; time < 6; time++) {
      line.tell(no(idOf(line), 'unavailable'))
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(await asked).toBe('unavailable')
    expect(line.commands).toHaveLength(6)
    client.close()
  })
})

describe('a cut between command and answer', () => {
  test.each(commands)('[T14] %s', async (name, ask) => {
    const { server, client, line } = await openClient()
    const end = settledOutcome(ask(client))
    line.cut()
    const next = (await server.socket(2)).open({ type: 'delta', operations: [], seq: 0, prev: 0 })
    if (isPerishable(name)) {
      expect(await end).toBe('unknown_outcome')
      expect(next.commands).toEqual([])
    } else {
      expect(next.commands).toEqual(line.commands)
      next.tell(ok(idOf(line), { ok: 1 }))
      expect(await end).toEqual({ ok: 1 })
    }
    client.close()
  })

  test('a prompt is shown meanwhile, and no longer when the state is back', async () => {
    const { server, client, line } = await openClient()
    const changes: string[][] = []
    client.on('held', (held) => changes.push(prompts(held)))
    const end = settledOutcome(client.submit('Hi'))
    expect(client.held).toEqual([])
    line.cut()
    expect(client.held).toEqual([{ id: idOf(line), prompt: 'Hi', since: expect.any(Number), sent: true }])
    expect(client.getSnapshot().messages).toEqual([])
    ;(await server.socket(2)).open(state(1, 'Hi'))
    expect(client.held).toEqual([])
    expect(changes).toEqual([['Hi'], []])
    client.close()
    expect(await end).toBe('unknown_outcome')
  })

  test('taken back, it is not sent again, and nobody knows', async () => {
    const { server, client, line } = await openClient()
    const end = settledOutcome(client.submit('Hi', { commandId: 'x' }))
    line.cut()
    expect(client.discard('x')).toBe(true)
    expect(await end).toBe('unknown_outcome')
    expect((await server.socket(2)).open(state(0)).commands).toEqual([])
    client.close()
  })

  test('what the server finds too big is not sent again', async () => {
    const { server, client, line } = await openClient()
    const asked = [client.submit('small'), client.submit('x'.repeat(100))].map(settledOutcome)
    line.cut(1009)
    expect(await asked[1]).toBe('too_large')
    const next = (await server.socket(2)).open(state(0))
    expect(next.commands).toMatchObject([{ prompt: 'small' }])
    next.tell(ok(idOf(next)))
    expect(await asked[0]).toEqual({})
    client.close()
  })

  test('a line that is cut again and again: the same text each time', async () => {
    const { server, client, line } = await openClient()
    const end = settledOutcome(client.submit('Hi'))
    let last = line
    for (let count = 2; count < 10; count++) {
      last.cut()
      last = (await server.socket(count)).open(state(count))
      expect(last.commands).toEqual(line.commands)
    }
    last.tell(ok(idOf(line)))
    expect(await end).toEqual({})
    client.close()
  })
})

describe('without a connection', () => {
  test('prompts are held, in order, and sent behind what was cut', async () => {
    const { server, client, line } = await openClient()
    const asked = [settledOutcome(client.submit('first'))]
    line.cut()
    asked.push(settledOutcome(client.submit('second')), settledOutcome(client.submit('third')))
    const { held } = client
    expect(client.held).toBe(held)
    expect(held.map(({ prompt, sent }) => [prompt, sent])).toEqual([
      ['first', true],
      ['second', false],
      ['third', false],
    ])
    const next = (await server.socket(2)).open(state(0))
    expect(next.commands).toMatchObject([{ prompt: 'first' }, { prompt: 'second' }, { prompt: 'third' }])
    for (const { commandId } of next.commands) next.tell(ok(commandId as string))
    expect(await Promise.all(asked)).toEqual([{}, {}, {}])
    client.close()
  })

  test('a held prompt can be taken back', async () => {
    const server = fakeServer()
    const client = fakeClientOf(server)
    const end = settledOutcome(client.submit('oops', { commandId: 'x' }))
    expect(prompts(client.held)).toEqual(['oops'])
    expect(client.discard('y')).toBe(false)
    expect(client.discard('x')).toBe(true)
    expect(client.discard('x')).toBe(false)
    expect(await end).toBe('removed')
    expect(client.held).toEqual([])
    expect((await server.socket(1)).open(state(0)).commands).toEqual([])
    client.close()
  })

  test('what is on its way cannot be taken back', async () => {
    const { client } = await openClient()
    client.submit('gone', { commandId: 'x' })
    expect(client.discard('x')).toBe(false)
    client.close()
  })

  test.each(commands.filter(([name]) => name !== 'submit'))('%s is rejected at once', async (_name, ask) => {
    const server = fakeServer()
    const client = fakeClientOf(server)
    expect(await settledOutcome(ask(client))).toBe('not_sent')
    expect((await server.socket(1)).open(state(0)).commands).toEqual([])
    client.close()
  })

  test('so is a prompt, where nothing is to be held, or too much is', async () => {
    const rejecting = fakeClientOf(fakeServer(), { outbox: 'reject' })
    expect(await settledOutcome(rejecting.submit('Hi'))).toBe('not_sent')
    rejecting.close()
    const holding = fakeClientOf(fakeServer())
    for (let count = 0; count < 100; count++) holding.submit(`${count}`)
    expect(await settledOutcome(holding.submit('one more'))).toBe('queue_full')
    holding.close()
  })

  test('closed, everything ends', async () => {
    const { client, line } = await openClient()
    const sent = [client.submit('a'), client.cancel()].map(settledOutcome)
    line.cut()
    const held = settledOutcome(client.submit('b'))
    client.close()
    expect(await Promise.all([...sent, held])).toEqual(['unknown_outcome', 'unknown_outcome', 'not_sent'])
    expect(await settledOutcome(client.submit('c'))).toBe('not_sent')
    expect(client.held).toEqual([])
  })
})

describe('a server that knows only the bare protocol', () => {
  test('takes commands without ids, which end by being sent', async () => {
    const { server, client, line } = await openClient({ first: state(undefined) })
    expect(await client.submit('Hi')).toEqual({})
    expect(await client.cancel()).toEqual({})
    expect(line.received).toEqual([
      { type: 'commands', commands: [{ type: 'submit', prompt: 'Hi' }] },
      { type: 'commands', commands: [{ type: 'cancel' }] },
    ])
    line.cut()
    const held = client.submit('later')
    const next = (await server.socket(2)).open(state(undefined))
    expect(next.commands).toEqual([{ type: 'submit', prompt: 'later' }])
    expect(await held).toEqual({})
    client.close()
  })

  test('is not given again what a better server may have taken', async () => {
    const { server, client, line } = await openClient()
    const end = settledOutcome(client.submit('Hi'))
    line.cut()
    const next = (await server.socket(2)).open(state(undefined))
    expect(await end).toBe('unknown_outcome')
    expect(next.commands).toEqual([])
    client.close()
  })
})
