// The Fabric WebSocket from outside: a real server, a client that sees every frame.
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { isEvent } from '@bridle/wire/fabric/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, hasEvent, messageTypes, openTestSocket } from '../../tests/socket-client.suite.ts'
import { HarnessServer } from '../index.ts'

let folder: string
let server: HarnessServer
let url: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-socket-'))
  server = await HarnessServer.start({ port: 0, data: folder, tokenPaceMs: 0, log: () => {} })
  url = server.url
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const play = (id: string, ...steps: unknown[]) => post(`${url}/agents/scripted/${id}`, scriptBody(...steps))
const begin = (id: string, ...steps: unknown[]) =>
  post(`${url}/agents/scripted/${id}`, scriptBody(...steps), { prefer: 'respond-async' })
const at = (id: string, query = '') => `${url}/sessions/${id}/ws${query}`
const ended = hasEvent('replay-end')

describe('events', () => {
  test('[W5] replays the last N events, says so, and continues live', async () => {
    await play('replay', { text: 'abc', chunks: 3 })
    const all = await openTestSocket(at('replay', '?replay=all'))
    const whole = messageTypes(await all.until(ended))
    expect(whole).toEqual(['prompt_start', 'text_delta', 'text_delta', 'text_delta', 'result', 'idle', 'replay-end'])
    const two = await openTestSocket(at('replay', '?replay=2'))
    expect(await two.until(ended)).toEqual(all.messages.slice(-3))
    const none = await openTestSocket(at('replay'))
    expect(messageTypes(await none.until(ended))).toEqual(['replay-end'])
    await play('replay', { text: 'more' })
    const live = ['prompt_start', 'text_delta', 'result', 'idle']
    for (const socket of [two, none]) {
      await socket.until(hasEvent('result', socket === two ? 2 : 1))
      await socket.until((messages) => messageTypes(messages).at(-1) === 'idle')
      expect(messageTypes(socket.messages).slice(-4)).toEqual(live)
      socket.ws.close()
    }
    all.ws.close()
  })

  test('[W6] the events are those of the other wires, and every cursor resumes with exactly the rest', async () => {
    await play('cursor', { text: 'abcd', chunks: 4 }, { tool: 'read', id: 'c1', result: 42 })
    const { events } = (await get(`${url}/agents/scripted/cursor`)).body as { events: { id: string }[] }
    for (const [index, { id }] of events.entries()) {
      for (const cursor of [id, id.slice(3)]) {
        const socket = await openTestSocket(at('cursor', `?replay=1&after=${cursor}`))
        expect(eventsOf(await socket.until(ended))).toEqual(events.slice(index + 1))
        socket.ws.close()
      }
    }
    const beyond = await openTestSocket(at('cursor', '?after=99999'))
    expect(messageTypes(await beyond.until(ended)).slice(0, 2)).toEqual(['reset', 'prompt_start'])
    beyond.ws.close()
  })

  test('a large event arrives whole', async () => {
    const text = 'é'.repeat(200_000)
    await play('large', { text })
    const socket = await openTestSocket(at('large', '?replay=all'))
    const event = eventsOf(await socket.until(ended)).find(({ type }) => type === 'text_delta')
    expect(event?.data).toEqual({ delta: text })
    socket.ws.close()
  })

  test('the platform’s own WebSocket understands it', async () => {
    await play('platform', { text: 'Hi' })
    const ws = new WebSocket(at('platform', '?replay=1').replace('http', 'ws'))
    const seen: string[] = []
    await new Promise<void>((resolve) => {
      ws.onmessage = ({ data }) => {
        seen.push((JSON.parse(data) as { type: string }).type)
        if (seen.length === 2) resolve()
      }
    })
    expect(seen).toEqual(['event', 'replay-end'])
    ws.close()
  })
})

describe('commands', () => {
  test('[W9] cancels by run or by session, and reports an unknown one', async () => {
    const { runId } = (await begin('cancel', { text: 'so far' }, { sleepMs: 60_000 })).body
    const socket = await openTestSocket(at('cancel', '?replay=all'))
    await socket.until(hasEvent('text_delta'))
    socket.say({ type: 'cancel', taskId: 'nobody' })
    socket.say({ type: 'cancel', taskId: runId, reason: 'user cancelled' })
    await socket.until(hasEvent('idle'))
    const second = (await begin('cancel', { text: 'again' }, { sleepMs: 60_000 })).body
    const third = (await begin('cancel', { text: 'never' })).body
    await socket.until(hasEvent('text_delta', 2))
    socket.say({ type: 'cancel', taskId: third.runId })
    socket.say({ type: 'cancel', taskId: 'cancel' })
    await socket.until(hasEvent('idle', 2))
    socket.say({ type: 'cancel', taskId: second.runId })
    await socket.until(hasEvent('ack', 5))
    const acks = socket.messages.filter(({ type }) => type === 'ack')
    expect(acks).toEqual([
      { type: 'ack', for: 'cancel', ok: false, message: 'There is no such task or run in this session.' },
      { type: 'ack', for: 'cancel', ok: true },
      { type: 'ack', for: 'cancel', ok: true },
      { type: 'ack', for: 'cancel', ok: true },
      { type: 'ack', for: 'cancel', ok: true, message: 'There was nothing left to cancel.' },
    ])
    expect(eventsOf(socket.messages).filter(({ type }) => type === 'prompt_start')).toHaveLength(2)
    socket.ws.close()
  })

  test('[W10] approves; the same answer again succeeds, another one does not', async () => {
    await begin('approve', { approve: 'write', id: 'c1', args: { p: 1 } })
    const socket = await openTestSocket(at('approve', '?replay=all'))
    const [asked] = eventsOf(await socket.until(hasEvent('approval_requested'))).filter((event) =>
      isEvent(event, 'approval_requested'),
    )
    const approvalId = asked?.data.approvalId
    for (const decision of ['approved', 'approved', 'denied']) socket.say({ type: 'approve', approvalId, decision })
    await socket.until((messages) => hasEvent('ack', 3)(messages) && hasEvent('idle')(messages))
    const acks = socket.messages.filter((message) => message.type === 'ack')
    expect(acks.map(({ ok }) => ok)).toEqual([true, true, false])
    expect(eventsOf(socket.messages).find(({ type }) => type === 'approval_resolved')?.data).toMatchObject({
      approvalId,
      decision: 'approved',
    })
    socket.ws.close()
  })

  test('[W13] bad messages get one error each, and the socket stays open', async () => {
    await play('bad', { text: 'Hi' })
    const socket = await openTestSocket(at('bad'))
    await socket.until(ended)
    for (const bad of ['{', 'null', '{"type":"dance"}']) socket.say(bad)
    socket.ws.send(Buffer.from([1, 2, 3]))
    socket.say(`{"type":"ping","x":${'['.repeat(200_000)}`)
    socket.say({ type: 'ping', ts: 7 })
    expect(messageTypes(await socket.until(hasEvent('pong')))).toEqual([
      'replay-end',
      ...Array(5).fill('error'),
      'pong',
    ])
    socket.ws.close()
  })

  test('[W16] ten thousand bad messages get ten thousand errors', async () => {
    const socket = await openTestSocket(at('bad'))
    for (let count = 0; count < 10_000; count++) socket.say('{')
    socket.say({ type: 'cancel', taskId: 'bad' })
    await socket.until((messages) => messages.at(-1)?.type === 'ack')
    expect(messageTypes(socket.messages).filter((type) => type === 'error')).toHaveLength(10_000)
    socket.ws.close()
  })
})

describe('the end', () => {
  test.each<[string, Buffer, number, string]>([
    ['a message over 8 MiB', frame(0x81, 8 * 1024 * 1024 + 1), 1009, 'The message is too large.'],
    ['text that is not UTF-8', frame(0x81, 2, [0xc3, 0x28]), 1007, 'The text is not UTF-8.'],
    ['a flood of fragments', Buffer.concat([frame(0x01, 1), ...Array(80).fill(frame(0x00, 1))]), 1008, ''],
    ['a frame that is none', frame(0x8f, 1), 1002, ''],
  ])('[W15] [T12] %s closes the socket, and nobody else’s', async (_name, bytes, code, reason) => {
    const other = await openTestSocket(at('bad'))
    const socket = await openTestSocket(at('bad'))
    rawSocket(socket.ws).write(bytes)
    expect(await socket.closed).toEqual({ code, reason })
    other.say({ type: 'ping', ts: 1 })
    expect(messageTypes(await other.until(hasEvent('pong')))).toContain('pong')
    other.ws.close()
  })

  test('a removed session ends its sockets', async () => {
    await play('removed', { text: 'Hi' })
    const socket = await openTestSocket(at('removed'))
    await socket.until(ended)
    await fetch(`${url}/agents/scripted/removed`, { method: 'DELETE' })
    expect(await socket.closed).toEqual({ code: 4004, reason: 'There is no such session.' })
  })

  test('[W16] a slow reader is cut, and its cursor resumes', { timeout: 60_000 }, async () => {
    await play('slow', { text: 'Hi' })
    const socket = await openTestSocket(at('slow', '?replay=all'))
    await socket.until(ended)
    socket.ws.pause()
    const text = 'x'.repeat(900_000)
    for (let round = 0; round < 9; round++) await play('slow', { text })
    socket.ws.resume()
    expect(await socket.closed).toEqual({ code: 4008, reason: 'Too far behind: resume by cursor.' })
    const seen = eventsOf(socket.messages)
    const rest = await openTestSocket(at('slow', `?after=${seen.at(-1)?.id}`))
    const all = await openTestSocket(at('slow', '?replay=all'))
    const events = eventsOf(await all.until(ended))
    const ids = [...seen, ...eventsOf(await rest.until(ended))].map(({ id }) => id)
    expect(seen.length).toBeLessThan(events.length)
    expect(ids).toEqual(events.map(({ id }) => id))
    for (const each of [rest, all]) each.ws.close()
  })

  test('[W14] sends heartbeats, and closes silent clients', async () => {
    await using(
      async (quick) => {
        await post(`${quick}/agents/scripted/beats`, scriptBody({ text: 'Hi' }))
        const silent = await openTestSocket(`${quick}/sessions/beats/ws`)
        const loud = await openTestSocket(`${quick}/sessions/beats/ws`)
        const pings = setInterval(() => loud.ws.ping(), 5)
        expect(await silent.closed).toEqual({ code: 4009, reason: 'No ping for too long: resume by cursor.' })
        expect(messageTypes(silent.messages)).toContain('pong')
        await loud.until(hasEvent('pong', 5))
        clearInterval(pings)
        expect((await loud.closed).code).toBe(4009)
      },
      { heartbeatMs: 20, deadAfterMs: 100 },
    )
  })

  test('a server that stops asks its sockets to reconnect, and stops', async () => {
    let socket: Awaited<ReturnType<typeof openTestSocket>> | undefined
    await using(async (other) => {
      await post(`${other}/agents/scripted/s`, scriptBody({ text: 'Hi' }))
      socket = await openTestSocket(`${other}/sessions/s/ws`)
      await socket.until(ended)
    })
    expect((await socket?.closed)?.code).toBe(1012)
  })

  test('a request that only offers another protocol is served as a plain request, with its body', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
    const answerTo = (path: string, method: string, body: string): Promise<[number | undefined, string]> =>
      new Promise((resolve, reject) => {
        const options = { method, headers: { ...headers, 'content-length': body.length } }
        request(`${url}${path}`, options, async (response) => resolve([response.statusCode, await text(response)]))
          .on('error', reject)
          .end(body)
      })
    expect(await answerTo('/health', 'GET', '')).toMatchObject([200, expect.anything()])
    const prompt = '{"prompt":"Hello"}'
    expect(await answerTo('/agents/scripted/offered', 'POST', prompt)).toMatchObject([200, /"sessionId":"offered"/])
  })

  test('half a handshake harms no other client', async () => {
    const { port } = new URL(url)
    const halves = Array.from({ length: 200 }, () => {
      const half = connect(Number(port), '127.0.0.1')
      half.on('error', () => {})
      half.write('GET /sessions/bad/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n')
      return half
    })
    const socket = await openTestSocket(at('bad'))
    expect(messageTypes(await socket.until(ended))).toEqual(['replay-end'])
    for (const half of halves) half.destroy()
    socket.ws.close()
  })
})

/** A separate server that ends with `use`. */
const using = async (
  use: (url: string) => Promise<void>,
  options: Parameters<typeof HarnessServer.start>[0] = {},
): Promise<void> => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-socket-own-'))
  const own = await HarnessServer.start({ port: 0, data, log: () => {}, ...options })
  try {
    await use(own.url)
  } finally {
    await own.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** A client's frame with any content, masked by zeros. */
const frame = (head: number, size: number, payload: readonly number[] = []): Buffer => {
  const length = size < 126 ? [0x80 | size] : [0xff, 0, 0, 0, 0, ...[24, 16, 8, 0].map((bits) => (size >>> bits) & 255)]
  const body = Buffer.alloc(size)
  Buffer.from(payload).copy(body)
  return Buffer.concat([Buffer.from([head, ...length, 0, 0, 0, 0]), body])
}

const rawSocket = (ws: unknown) => (ws as { _socket: { write(bytes: Buffer): void } })._socket
