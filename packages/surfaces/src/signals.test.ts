// Signals on every wire at once: HTTP, the Fabric socket and the transport, of several sessions and agents.
import { describe, expect, test, vi } from 'vitest'
import { socketWires } from './all.ts'
import { type SocketOpener, upgradeSocket } from './http/streams/socket-route.ts'
import { testApp } from './http/test-app.suite.ts'
import { bearer } from './http/test-client.suite.ts'
import { waitingRunner } from './http/waiting-runner.suite.ts'

type Message = { readonly type: string; readonly [name: string]: unknown }

const setUp = (options: Parameters<typeof testApp>[0] = {}, take?: () => Promise<void>) => {
  const it = testApp(options, { waiter: waitingRunner(take), other: waitingRunner(take) })
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const request = new Request(`http://127.0.0.1${path}`, { headers })
    const opener = (await upgradeSocket(socketWires, request, '', it.app.ports)) as SocketOpener
    const messages: Message[] = []
    const receiver = opener({
      send: (texts) => messages.push(...texts.map((text) => JSON.parse(text) as Message)),
      close: () => {},
      buffered: () => 0,
      drained: async () => {},
    })
    const say = async (message: object) => receiver.onMessage(JSON.stringify(message))
    const answers = () => messages.filter(({ type }) => type === 'ack' || type === 'error')
    return { messages, say, answers, receiver }
  }
  const begin = (agent: string, id: string, prompt: string, headers: Record<string, string> = {}) =>
    it.post(`/agents/${agent}/${id}`, { prompt }, { prefer: 'respond-async', ...headers })
  const runOf = async (id: string, headers?: Record<string, string>) =>
    (await it.get(`/sessions/${id}/runs/r-2`, headers)).body
  return { ...it, open, begin, runOf }
}

/** A signal as each wire sends it, and its answer as the wire gives it. */
const transport = (name: string, payload?: unknown, commandId?: string) => ({
  type: 'commands',
  commands: [{ type: 'signal', name, payload, commandId }],
})
const fabric = (name: string, payload?: unknown, commandId?: string) => ({ type: 'signal', name, payload, commandId })

test('[H58] [W27] [T26] three sessions of two agents are signalled through three wires, in another order', async () => {
  const { post, open, begin, runOf } = setUp()
  await begin('waiter', 'one', 'a b c')
  await begin('other', 'two', 'c a')
  await begin('waiter', 'three', 'b')
  const sockets = {
    fabric: await open('/sessions/one/ws'),
    transport: await open('/ws?sessionId=two'),
    late: await open('/ws?sessionId=one'),
  }
  await sockets.transport.say(transport('a', { wire: 'transport' }, 't-1'))
  await sockets.fabric.say(fabric('c', { wire: 'fabric' }, 'f-1'))
  await post('/sessions/three/signal', { name: 'a', payload: 'not for it' })
  await sockets.late.say(transport('b', ['transport'], 't-2'))
  await post('/sessions/two/signal', { name: 'c', payload: 'http' })
  await post('/sessions/three/signal', { name: 'b' })
  await sockets.fabric.say(fabric('a'))
  await vi.waitFor(async () => {
    expect(await runOf('one')).toMatchObject({
      status: 'completed',
      result: [null, ['transport'], { wire: 'fabric' }],
    })
    expect(await runOf('two')).toMatchObject({ status: 'completed', result: ['http', { wire: 'transport' }] })
    expect(await runOf('three')).toMatchObject({ status: 'completed', result: [null] })
  })
  expect(sockets.fabric.answers()).toEqual([
    { type: 'ack', for: 'signal', ok: true, commandId: 'f-1' },
    { type: 'ack', for: 'signal', ok: true },
  ])
  expect(sockets.transport.answers()).toMatchObject([{ commandId: 't-1', ok: true, answer: { runId: 'r-2' } }])
  expect(sockets.late.answers()).toMatchObject([{ commandId: 't-2', ok: true, answer: { runId: 'r-2' } }])
})

test('[W12] [T14] one command id is one signal, on either socket; another body is refused', async () => {
  const { open, begin, get } = setUp()
  await begin('waiter', 's', 'a a a a')
  const [fabricSocket, again] = [await open('/sessions/s/ws'), await open('/sessions/s/ws')]
  const [transportSocket, later] = [await open('/ws?sessionId=s'), await open('/ws?sessionId=s')]
  for (const socket of [fabricSocket, again]) await socket.say(fabric('a', 1, 'f-1'))
  await fabricSocket.say(fabric('a', 2, 'f-1'))
  for (const socket of [transportSocket, later]) await socket.say(transport('a', 1, 't-1'))
  await transportSocket.say(transport('b', 1, 't-1'))
  expect([fabricSocket, again].map((socket) => socket.answers().map(({ ok }) => ok))).toEqual([[true, false], [true]])
  expect([transportSocket, later].map((socket) => socket.answers())).toMatchObject([
    [{ ok: true }, { ok: false, code: 'command_conflict' }],
    [{ ok: true }],
  ])
  expect((await get('/sessions/s/audit')).body.audit).toHaveLength(2)
})

test('[W27] [T26] a signal that comes before the run waits is kept for it', async () => {
  const gate = Promise.withResolvers<void>()
  const { open, begin, runOf } = setUp({}, () => gate.promise)
  await begin('waiter', 's', 'a b')
  await (await open('/sessions/s/ws')).say(fabric('b', 'fabric'))
  await (await open('/ws?sessionId=s')).say(transport('a', 'transport'))
  gate.resolve()
  await vi.waitFor(async () =>
    expect(await runOf('s')).toMatchObject({ status: 'completed', result: ['transport', 'fabric'] }),
  )
})

describe('[W27] [T26] who may signal, and as whom', () => {
  const tokens = [
    { token: 'ada', user: 'ada' },
    { token: 'decider', user: 'ada', scopes: ['observe', 'approve'] as const },
  ]

  test('the scope operate; the actor is the credential’s user', async () => {
    const { open, begin, get } = setUp({ tokens })
    await begin('waiter', 's', 'never', bearer('ada'))
    for (const path of ['/sessions/s/ws', '/ws?sessionId=s']) {
      const message = path.startsWith('/ws') ? transport : fabric
      const decider = await open(path, bearer('decider'))
      await decider.say(message('a', 1, 'c-1'))
      expect(decider.answers()).toMatchObject([{ ok: false, message: 'This needs the scope "operate".' }])
      await (await open(path, bearer('ada'))).say({ ...message('a', 1), actor: 'somebody' })
    }
    expect((await get('/sessions/s/audit', bearer('ada'))).body.audit).toMatchObject([
      { action: 'signalled', actor: 'ada', summary: 'a' },
      { action: 'signalled', actor: 'ada', summary: 'a' },
    ])
  })

  test('a signal counts for the rate limit', async () => {
    const { open, begin } = setUp({ rateLimit: { windowMs: 60_000, maxRequests: 4 } })
    await begin('waiter', 's', 'never')
    const sockets = [await open('/sessions/s/ws'), await open('/ws?sessionId=s')]
    await sockets[0]?.say(fabric('a'))
    await sockets[0]?.say(fabric('a'))
    await sockets[1]?.say(transport('a', 1, 'c'))
    expect(sockets[0]?.answers()).toMatchObject([
      { ok: true },
      { ok: false, message: expect.stringMatching(/^Too many commands/) },
    ])
    expect(sockets[1]?.answers()).toMatchObject([{ ok: false, code: 'rate_limited' }])
  })
})

describe('[W13] [T12] what is no signal gets one error, and the socket stays', () => {
  test.each<[string, object]>([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name that is no text', { name: 3 }],
    ['a name that is no id', { name: 'a b' }],
    ['a name that is too long', { name: 'n'.repeat(129) }],
  ])('%s', async (_name, fields) => {
    const { open, begin, get } = setUp()
    await begin('waiter', 's', 'a')
    const [fabricSocket, transportSocket] = [await open('/sessions/s/ws'), await open('/ws?sessionId=s')]
    await fabricSocket.say({ type: 'signal', ...fields })
    await transportSocket.say({ type: 'commands', commands: [{ type: 'signal', ...fields, commandId: 'c' }] })
    expect(fabricSocket.answers()).toEqual([{ type: 'error', message: expect.stringMatching(/^name: /) }])
    expect(transportSocket.answers()).toEqual([
      { type: 'error', message: expect.stringMatching(/^commands\.0\.name: /), commandId: 'c' },
    ])
    expect((await get('/sessions/s/audit')).body.audit).toEqual([])
  })

  test('a payload that is too large, or too deep, is refused', async () => {
    const { open, begin } = setUp()
    await begin('waiter', 's', 'a')
    const [fabricSocket, transportSocket] = [await open('/sessions/s/ws'), await open('/ws?sessionId=s')]
    const large = 'x'.repeat(1_600_000)
    await fabricSocket.say(fabric('a', large))
    await transportSocket.say(transport('a', large, 'c'))
    expect(fabricSocket.answers()).toMatchObject([{ ok: false, message: expect.stringContaining('too large') }])
    expect(transportSocket.answers()).toMatchObject([{ ok: false, code: 'too_large' }])
    const deep = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`)
    await fabricSocket.say(fabric('a', deep))
    await transportSocket.say(transport('a', deep, 'd'))
    expect(fabricSocket.answers().at(-1)).toMatchObject({ type: 'error' })
    expect(transportSocket.answers().at(-1)).toMatchObject({ type: 'error' })
  })
})
