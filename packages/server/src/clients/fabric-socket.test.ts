// The client against a real server, and through a proxy that cuts its connections wherever it likes.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AgentEvent,
  connectFabricWs,
  type FabricAck,
  type FabricError,
  type FabricWsHandle,
  type FabricWsOptions,
} from '@bridle/client/index'
import { cuttingProxy, listening } from '@bridle/client/socket/cutting-proxy.suite'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { HarnessServer } from '../node/index.ts'

const authToken = 'secret-1'
const auth = { authorization: `Bearer ${authToken}` }
const reconnect = { firstMs: 1, longestMs: 5 }
/** `npm run test:long` cuts more often. */
const CUTS = process.env.BRIDLE_VARIANTS === 'all' ? 200 : 60
let folder: string
let server: HarnessServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-fabric-ws-'))
  server = await HarnessServer.start({ port: 0, data: folder, authToken, tokenPaceMs: 0, log: () => {} })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const play = (id: string, ...steps: unknown[]) =>
  post(`${server.url}/agents/scripted/${id}`, scriptBody(...steps), auth)
const socketUrl = (id: string, base = server.url) => `${base.replace('http', 'ws')}/sessions/${id}/ws`

describe('a connection', () => {
  test('the document’s sample works as written', async () => {
    await play('sample', { text: 'abc', chunks: 3 })
    const watch = client({ url: socketUrl('sample'), authToken, tenantId: 'default', replay: 20 })
    await watch.until(() => watch.said.includes('live'))
    expect(watch.said).toEqual(['prompt_start', 'text_delta', 'text_delta', 'text_delta', 'result', 'idle', 'live'])
    watch.handle.send({ type: 'cancel', taskId: 'task-123', reason: 'user cancelled' })
    watch.handle.send({ type: 'approve', approvalId: 'appr-1', decision: 'approved' })
    watch.handle.send({ type: 'ping' })
    await watch.until(() => watch.acks.length === 2)
    expect(watch.acks).toMatchObject([
      { for: 'cancel', ok: false },
      { for: 'approve', ok: false },
    ])
    await play('sample', { text: 'more' })
    await watch.until(() => watch.said.filter((each) => each === 'idle').length === 2)
    expect(watch.handle.state).toBe('open')
    watch.handle.close()
    watch.handle.close()
    expect(watch.said.slice(7)).toEqual(['ack', 'ack', 'prompt_start', 'text_delta', 'result', 'idle', 'closed 1000'])
    expect(watch.handle.state).toBe('closed')
  })

  test('[W17] it pings by itself, and takes a silent line for dead', async () => {
    let pings = 0
    const lines: Socket[] = []
    const quiet = createHttpServer()
    const sockets = new WebSocketServer({ server: quiet })
    sockets.on('connection', (ws, { socket }) => {
      lines.push(socket)
      ws.on('message', () => (pings += 1))
    })
    const url = await listening(quiet)
    const watch = client({ url: socketUrl('x', url), heartbeatMs: 5, reconnect })
    await watch.until(() => pings > 0 && lines.length > 2)
    watch.handle.close()
    for (const line of lines) line.destroy()
    quiet.close()
  })

  test('[W21] a mark is answered at once', async () => {
    const heard: string[] = []
    const marking = createHttpServer()
    const sockets = new WebSocketServer({ server: marking })
    sockets.on('connection', (ws) => {
      ws.on('message', (data) => heard.push(data.toString()))
      ws.send('{"type":"mark","seq":12}')
    })
    const watch = client({ url: socketUrl('x', await listening(marking)) })
    await watch.until(() => heard.length > 0)
    watch.handle.close()
    marking.close()
    expect([heard, watch.said]).toEqual([['{"type":"seen","seq":12}'], ['closed 1000']])
  })

  test('[W18] where there are no tickets it sends the token', async () => {
    const urls: (string | undefined)[] = []
    const plain = createHttpServer((_request, response) => response.writeHead(404).end('{"error":"Not found"}'))
    const sockets = new WebSocketServer({ server: plain })
    sockets.on('connection', (ws, { url }) => {
      urls.push(url)
      ws.send('{"type":"replay-end"}')
    })
    const url = await listening(plain)
    const watch = client({ url: socketUrl('x', url), authToken: 'a b', tenantId: 't', replay: 3 })
    await watch.until(() => watch.said.includes('live'))
    watch.handle.close()
    plain.close()
    expect(urls).toEqual(['/sessions/x/ws?tenant=t&replay=3&marks=1&token=a+b'])
  })

  test('a bad address throws at once', () => {
    expect(() => connectFabricWs({ url: 'nowhere', onEvent: () => {} })).toThrow(TypeError)
  })
})

describe('the end', () => {
  test.each<[string, Partial<FabricWsOptions>, string[]]>([
    ['a wrong token', { authToken: 'wrong' }, ['error unauthorized', 'closed 1008']],
    ['no token', {}, ['error unauthorized', 'closed 1008']],
    ['a bad tenant', { authToken, tenantId: 'a b' }, ['error bad_request', 'closed 1008']],
    ['no such session', { authToken, tenantId: 'other' }, ['error server', 'closed 4004']],
  ])('[W20] %s is final, and told', async (_name, options, expected) => {
    await play('final', { text: 'Hi' })
    const watch = client({ url: socketUrl('final'), reconnect, ...options })
    await watch.until(() => watch.handle.state === 'closed')
    expect(watch.said).toEqual(expected)
  })

  test('[W20] a session that is removed is final', async () => {
    await play('gone', { text: 'Hi' })
    const watch = client({ url: socketUrl('gone'), authToken, reconnect })
    await watch.until(() => watch.said.includes('live'))
    await fetch(`${server.url}/agents/scripted/gone`, { method: 'DELETE', headers: auth })
    await watch.until(() => watch.handle.state === 'closed')
    expect(watch.said).toEqual(['live', 'closed 4004'])
  })

  test('[W20] without reconnecting, any close is final', async () => {
    const proxy = await cuttingProxy(server.url)
    const watch = client({ url: socketUrl('final', proxy.url), authToken, reconnect: false })
    await watch.until(() => watch.said.includes('live'))
    proxy.cutAll()
    await watch.until(() => watch.handle.state === 'closed')
    expect(watch.said).toEqual(['live', 'closed 1006'])
    proxy.close()
  })

  test('[W19] commands in the line after connectFabricWs wait for the first opening, for three clients at once', async () => {
    const ids = ['early-1', 'early-2', 'early-3']
    const approvals = await Promise.all(
      ids.map(async (id) => {
        await post(`${server.url}/agents/scripted/${id}`, scriptBody({ approve: 'go' }, { text: 'on' }), {
          ...auth,
          prefer: 'respond-async',
        })
        let found: { id: string }[] = []
        while (found.length === 0)
          found = ((await get(`${server.url}/sessions/${id}`, auth)).body.approvals as { id: string }[]) ?? []
        return found[0]?.id ?? ''
      }),
    )
    const watches = ids.map((id, at) => {
      const watch = client({ url: socketUrl(id), authToken })
      watch.handle.send({ type: 'approve', approvalId: approvals[at] ?? '', decision: 'approved' })
      watch.handle.send({ type: 'cancel', taskId: 'nobody' })
      watch.handle.send({ type: 'ping' })
      return watch
    })
    for (const watch of watches) {
      await watch.until(() => watch.acks.length === 2)
      expect(watch.acks.map((ack) => [ack.for, ack.ok])).toEqual([
        ['approve', true],
        ['cancel', false],
      ])
      expect(watch.said.filter((each) => each.startsWith('error'))).toEqual([])
      watch.handle.close()
    }
  })

  test('[W19] after the first opening nothing is sent later than it was asked', async () => {
    await play('unsent', { text: 'Hi' })
    const proxy = await cuttingProxy(server.url)
    const watch = client({ url: socketUrl('unsent', proxy.url), authToken, reconnect })
    await watch.until(() => watch.said.includes('live'))
    proxy.cutAfter(() => 0)
    proxy.cutAll()
    await watch.until(() => watch.handle.state === 'connecting')
    watch.handle.send({ type: 'cancel', taskId: 'unsent' })
    expect(watch.said).toContain('error not_connected')
    proxy.cutAfter(null)
    await watch.until(() => watch.handle.state === 'open')
    watch.handle.close()
    watch.handle.send({ type: 'approve', approvalId: 'apr-1', decision: 'approved' })
    expect(watch.said.slice(-2)).toEqual(['closed 1000', 'error not_connected'])
    expect(watch.acks).toEqual([])
    proxy.close()
  })

  test('[W19] a connection that never opens refuses what waited for it', async () => {
    const watch = client({ url: socketUrl('x', 'http://127.0.0.1:9'), reconnect })
    watch.handle.send({ type: 'cancel', taskId: 'x' })
    watch.handle.close()
    expect(watch.said).toEqual(['error not_connected', 'closed 1000'])
  })

  test('[W24] each try that fails is told with its reason, and the next one follows', async () => {
    const answering = (status: number) => createHttpServer((_, answer) => void answer.writeHead(status).end())
    const [noUpgrade, broken] = [answering(426), answering(502)]
    const expected: [string, string, RegExp][] = [
      ['http://127.0.0.1:9', 'network', /^127\.0\.0\.1:\d+ could not be reached\.$/],
      [await listening(noUpgrade), 'no_upgrade', /opens no WebSocket\. A proxy in between has to pass on the Upgrade/],
      [await listening(broken), 'unknown', /answered 502/],
    ]
    await Promise.all(
      expected.map(async ([url, type, message]) => {
        const watch = client({ url: socketUrl('x', url), reconnect })
        await watch.until(() => watch.said.filter((each) => each === `error ${type}`).length >= 3)
        expect(watch.errors[0]?.message).toMatch(message)
        expect(watch.handle.state).toBe('connecting')
        watch.handle.close()
      }),
    )
    for (const each of [noUpgrade, broken]) each.close().closeAllConnections()
  })

  test('[W25] where there is no WebSocket that is said once, and it is over', async () => {
    vi.stubGlobal('WebSocket', undefined)
    const watch = client({ url: socketUrl('x'), authToken, reconnect })
    await watch.until(() => watch.handle.state === 'closed')
    vi.unstubAllGlobals()
    expect(watch.said).toEqual(['error unsupported', 'closed 1008'])
    expect(watch.errors[0]?.message).toContain('Pass one as the option WebSocket')
  })

  test('[W19] a command that loses its connection is told', async () => {
    const proxy = await cuttingProxy(server.url)
    const watch = client({ url: socketUrl('unsent', proxy.url), authToken, reconnect })
    await watch.until(() => watch.said.includes('live'))
    watch.handle.send({ type: 'cancel', taskId: 'unsent' })
    proxy.cutAll()
    await watch.until(() => watch.said.includes('error unanswered'))
    watch.handle.close()
    proxy.close()
  })
})

describe('coming back', () => {
  test(`[W17] cut at random bytes ${CUTS} times: each event once and in order`, { timeout: 120_000 }, async () => {
    await play('cuts', { text: 'Hi' })
    const proxy = await cuttingProxy(server.url)
    const watch = client({ url: socketUrl('cuts', proxy.url), authToken, replay: 1_000, reconnect })
    await watch.until(() => watch.said.includes('live'))
    proxy.cutAfter(() => 1 + Math.floor(Math.random() * 3_000))
    proxy.cutAll()
    let round = 0
    while (proxy.cuts < CUTS) {
      round += 1
      const { cuts } = proxy
      await play('cuts', { text: `${round} `.repeat(40), chunks: 40 }, { tool: 'read', result: 'x'.repeat(2_000) })
      await watch.until(() => proxy.cuts >= cuts + 5 || watch.events.at(-1)?.type === 'idle')
    }
    proxy.cutAfter(null)
    const { events } = (await get(`${server.url}/agents/scripted/cuts`, auth)).body as { events: { id: string }[] }
    await watch.until(() => watch.events.at(-1)?.id === events.at(-1)?.id)
    watch.handle.close()
    proxy.close()
    expect(watch.events).toEqual(events)
    expect(watch.said.filter((each) => each === 'live')).toHaveLength(1)
    expect(proxy.cuts).toBeGreaterThanOrEqual(CUTS)
  })

  test('[W7] what happens while a client that has seen nothing is away is not lost', async () => {
    await play('away', { text: 'before' })
    const proxy = await cuttingProxy(server.url)
    const watch = client({ url: socketUrl('away', proxy.url), authToken, reconnect })
    await watch.until(() => watch.said.includes('live'))
    proxy.cutAfter(() => 0)
    proxy.cutAll()
    await play('away', { text: 'meanwhile' })
    proxy.cutAfter(null)
    await watch.until(() => watch.said.includes('idle'))
    watch.handle.close()
    proxy.close()
    expect(watch.said.filter((each) => !each.startsWith('error'))).toEqual([
      'live',
      'prompt_start',
      'text_delta',
      'result',
      'idle',
      'closed 1000',
    ])
  })

  test('[W17] a server that restarts is found again', async () => {
    const data = join(folder, 'restarting')
    const options = { data, authToken, tokenPaceMs: 0, log: () => {} }
    const first = await HarnessServer.start({ port: 0, ...options })
    const { url } = first
    await post(`${url}/agents/scripted/r`, scriptBody({ text: 'one' }), auth)
    const watch = client({ url: socketUrl('r', url), authToken, replay: 100, reconnect })
    await watch.until(() => watch.said.includes('live'))
    await first.close()
    const second = await HarnessServer.start({ port: Number(new URL(url).port), ...options })
    await post(`${url}/agents/scripted/r`, scriptBody({ text: 'two' }), auth)
    const { events } = (await get(`${url}/agents/scripted/r`, auth)).body as { events: { id: string }[] }
    await watch.until(() => watch.events.length === events.length)
    watch.handle.close()
    await second.close()
    expect(watch.events).toEqual(events)
  })
})

interface SocketRecording {
  readonly handle: FabricWsHandle
  readonly events: AgentEvent[]
  readonly acks: FabricAck[]
  readonly errors: FabricError[]
  /** All calls of the callbacks, one word each. */
  readonly said: string[]
  until(enough: () => boolean): Promise<void>
}

const client = (options: Omit<FabricWsOptions, 'onEvent'>): SocketRecording => {
  const said: string[] = []
  const events: AgentEvent[] = []
  const acks: FabricAck[] = []
  const errors: FabricError[] = []
  const handle = connectFabricWs({
    ...options,
    onEvent: (event) => {
      events.push(event)
      said.push(event.type)
    },
    onReplayEnd: () => said.push('live'),
    onAck: (ack) => {
      acks.push(ack)
      said.push('ack')
    },
    onError: (error: FabricError) => {
      errors.push(error)
      said.push(`error ${error.type}`)
    },
    onClose: ({ code }) => said.push(`closed ${code}`),
  })
  const until = async (enough: () => boolean) => {
    while (!enough()) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return { handle, events, acks, errors, said, until }
}
