// The cost of one socket, and of all together, is limited. The tests write frames by hand, since no client would send them.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, describe, expect, test } from 'vitest'
import { openTestSocket } from '../../tests/socket-client.suite.ts'
import { type HarnessServer, type ServerOptions, startDevServer } from '../index.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const start = async (options: ServerOptions): Promise<HarnessServer> => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-socket-limits-'))
  const server = await startDevServer({ port: 0, data, log: () => {}, env: {}, tokenPaceMs: 0, ...options })
  stops.push(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })
  return server
}

interface RawSocket {
  readonly socket: Socket
  /** The handshake's answer. */
  readonly answer: string
  /** The code of the close frame, if one came; resolves when the connection has ended. */
  readonly closed: Promise<number | null>
  readonly isOpen: () => boolean
}

interface RawOptions {
  readonly offers?: string
  readonly pongs?: boolean
  /** Answers a close frame; by default a client that answers pings does. */
  readonly ends?: boolean
}

/** A handshake, and then the bytes that the test writes. Pings and the close frame are answered only on request. */
const raw = async (url: string, path: string, options: RawOptions = {}): Promise<RawSocket> => {
  const { offers = '', pongs = false, ends = pongs } = options
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  stops.push(async () => void socket.destroy())
  socket.on('error', () => {})
  let open = true
  let code: number | null = null
  const handshake = [
    `GET ${path} HTTP/1.1`,
    `host: ${host}`,
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ...(offers ? [`sec-websocket-extensions: ${offers}`] : []),
  ]
  socket.write(`${handshake.join('\r\n')}\r\n\r\n`)
  let bytes = Buffer.alloc(0)
  const answer = await new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) return
      resolve(bytes.subarray(0, end).toString())
      socket.removeAllListeners('data')
      bytes = bytes.subarray(end + 4)
      const look = () => {
        for (;;) {
          if (bytes.length < 2) return
          const opcode = (bytes[0] ?? 0) & 0x0f
          const short = (bytes[1] ?? 0) & 0x7f
          const head = short < 126 ? 2 : short === 126 ? 4 : 10
          if (bytes.length < head) return
          const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
          if (bytes.length < head + size) return
          const payload = bytes.subarray(head, head + size)
          if (opcode === 8) code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005
          if (opcode === 8 && ends) socket.end()
          if (opcode === 9 && pongs) socket.write(frame(payload, { opcode: 0xa }))
          bytes = bytes.subarray(head + size)
        }
      }
      socket.on('data', (more: Buffer) => {
        bytes = Buffer.concat([bytes, more])
        look()
      })
      look()
    })
  })
  const closed = new Promise<number | null>((resolve) =>
    socket.once('close', () => {
      open = false
      resolve(code)
    }),
  )
  return { socket, answer, closed, isOpen: () => open }
}

/** Masked with zeros, which is as good as any. `announces` = how much there would be of it. */
const frame = (payload: Buffer | string, { opcode = 1, fin = true, announces = 0 } = {}): Buffer => {
  const body = Buffer.from(payload as string)
  const size = Math.max(announces, body.length)
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10)
  head[0] = (fin ? 0x80 : 0) | opcode
  head[1] = 0x80 | (size < 126 ? size : size < 65_536 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(size, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2)
  return Buffer.concat([head, Buffer.alloc(4), body])
}

const paths = ['/ws?sessionId=s1', '/sessions/s1/ws']

describe.each(paths)('%s', (path) => {
  const world = async (options: ServerOptions = {}) => {
    const server = await start(options)
    await post(`${server.url}/agents/scripted/s1`, scriptBody({ text: 'Hi' }))
    return server
  }

  test('[T20] [W22] a message that never ends closes the socket, even if data keeps arriving', async () => {
    const { url } = await world({ unfinishedMs: 300 })
    const half = await raw(url, path, { pongs: true, ends: false })
    half.socket.write(frame('{"type":', { announces: 1_000 }))
    const fragments = await raw(url, path, { pongs: true, ends: false })
    fragments.socket.write(frame('{', { fin: false }))
    const dribbling = await raw(url, path, { pongs: true, ends: false })
    dribbling.socket.write(frame('x', { announces: 100_000 }))
    const more = setInterval(() => dribbling.socket.write('x'), 20)
    // Between fragments there may be control frames: they finish nothing.
    const pinging = setInterval(() => fragments.socket.write(frame('', { opcode: 9 })), 20)
    const silent = await raw(url, path, { pongs: true })
    const honest = await raw(url, path, { pongs: true })
    honest.socket.write(frame('{"type":"pi', { fin: false }))
    honest.socket.write(frame('ng"}', { opcode: 0 }))
    expect(await Promise.all([half.closed, fragments.closed, dribbling.closed])).toEqual([1008, 1008, 1008])
    clearInterval(more)
    clearInterval(pinging)
    expect([silent.isOpen(), honest.isOpen()]).toEqual([true, true])
  })

  test('[T20] [W22] a client that sends without pause and finishes each message stays', async () => {
    const { url } = await world({ unfinishedMs: 200 })
    const talker = await raw(url, path, { pongs: true })
    const ping = frame('{"type":"ping"}')
    let rest = Buffer.alloc(0)
    // Cut so that at any moment one of them is unfinished.
    const timer = setInterval(() => {
      const bytes = Buffer.concat([rest, ping, ping])
      talker.socket.write(bytes.subarray(0, -5))
      rest = bytes.subarray(-5)
    }, 10)
    const half = await raw(url, path, { pongs: true })
    half.socket.write(frame('{', { fin: false }))
    expect(await half.closed).toBe(1008)
    clearInterval(timer)
    expect(talker.isOpen()).toBe(true)
  })

  test('[T20] [W22] unfinished bytes of all sockets have one budget; the largest are dropped', async () => {
    const { url } = await world({ maxUnfinishedBytes: 2_000_000 })
    const small = await raw(url, path, { pongs: true })
    small.socket.write(frame('{"type":', { fin: false }))
    const large = await Promise.all(Array.from({ length: 6 }, () => raw(url, path, { pongs: true })))
    for (const { socket } of large) socket.write(frame(Buffer.alloc(800_000, 'x'), { announces: 1_000_000 }))
    await expect.poll(() => large.filter(({ isOpen }) => isOpen()).length, { timeout: 5_000 }).toBe(2)
    small.socket.write(frame('"ping"}', { opcode: 0 }))
    expect(small.isOpen()).toBe(true)
  })

  test('[T20] [W22] a message in more than 64 parts ends the socket', async () => {
    const { url } = await world()
    const sly = await raw(url, path, { pongs: true })
    sly.socket.write(frame('{', { fin: false }))
    for (let part = 0; part < 64; part++) sly.socket.write(frame(' ', { opcode: 0, fin: false }))
    expect(await sly.closed).toBe(1008)
  })

  test('[T20] [W22] a client that misses two pings is dropped; a client that answers may be silent', async () => {
    const { url } = await world({ pingMs: 100, deadAfterMs: 60_000, heartbeatMs: 60_000 })
    const alive = await raw(url, path, { pongs: true })
    const dead = await Promise.all([1, 2, 3].map(() => raw(url, path)))
    await Promise.all(dead.map(({ closed }) => closed))
    // The silent client is still there after three generations of dead ones.
    for (let round = 0; round < 3; round++) await (await raw(url, path)).closed
    expect(alive.isOpen()).toBe(true)
  })

  test('[T20] [W22] a socket that sends too many messages is closed, pings included', async () => {
    const { url } = await world({ socketRate: { windowMs: 60_000, maxMessages: 50 } })
    const kinds = [frame('{"type":"ping"}'), frame('', { opcode: 9 }), frame('', { opcode: 0xa })]
    const codes = kinds.map(async (bytes) => {
      const loud = await raw(url, path, { pongs: true })
      for (let time = 0; time < 60; time++) loud.socket.write(bytes)
      return loud.closed
    })
    expect(await Promise.all(codes)).toEqual([1008, 1008, 1008])
    const quiet = await raw(url, path, { pongs: true })
    for (let time = 0; time < 40; time++) quiet.socket.write(frame('{"type":"ping"}'))
    expect(quiet.isOpen()).toBe(true)
  })

  test('[W15] [T20] no compression, even if a client offers it', async () => {
    const { url } = await world()
    const { answer } = await raw(url, path, { offers: 'permessage-deflate; client_max_window_bits' })
    expect(answer).toMatch(/^HTTP\/1\.1 101 /)
    expect(answer.toLowerCase()).not.toContain('sec-websocket-extensions')
  })

  test('[W16] [T20] a client that pings and reads no answer is dropped', { timeout: 30_000 }, async () => {
    const { url } = await world({ socketRate: { windowMs: 60_000, maxMessages: 10_000_000 } })
    const flood = await raw(url, path)
    flood.socket.pause()
    const ping = Buffer.concat(Array.from({ length: 500 }, () => frame(Buffer.alloc(125, 'p'), { opcode: 9 })))
    let sent = 0
    const send = () => {
      while (flood.isOpen() && sent < 200_000_000) {
        sent += ping.length
        if (!flood.socket.write(ping)) return
      }
    }
    flood.socket.on('drain', send)
    send()
    // The client reads nothing, so only a failed write shows that the socket has ended.
    await flood.closed
    expect(sent).toBeLessThan(200_000_000)
  })
})

test('[H17] [T20] commands on a socket count like requests, for the same credential', async () => {
  const { url } = await start({
    tokens: [{ token: 'ada' }, { token: 'bob' }],
    rateLimit: { windowMs: 3_600_000, maxRequests: 6 },
  })
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  const acks = async (token: string, path: string, count: number, message: (n: number) => unknown) => {
    const socket = await openTestSocket(`${url}${path}`, { headers: as(token) })
    for (let n = 0; n < count; n++) socket.say(message(n))
    const seen = await socket.until((all) => all.filter(({ type }) => type === 'ack').length === count)
    socket.ws.close()
    return seen.filter(({ type }) => type === 'ack') as unknown as { ok: boolean; code?: string; message?: string }[]
  }
  // The upgrade counts one request, each command another, and then the limit is reached.
  const submit = (n: number) => ({ type: 'commands', commands: [{ type: 'cancel', commandId: `c-${n}` }] })
  const first = await acks('ada', '/ws?sessionId=a', 8, submit)
  expect(first.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false, false, false])
  expect(first.at(-1)).toMatchObject({ code: 'rate_limited', message: expect.stringMatching(/try again in \d+ s/) })
  expect((await fetch(`${url}/sessions`, { headers: as('ada') })).status).toBe(429)
  // Another credential has a separate count.
  expect((await post(`${url}/agents/scripted/s1`, scriptBody({ text: 'Hi' }), as('bob'))).status).toBe(200)
  const cancel = (n: number) => ({ type: 'cancel', taskId: 's1', commandId: `c-${n}` })
  const second = await acks('bob', '/sessions/s1/ws', 6, cancel)
  expect(second.map(({ ok }) => ok)).toEqual([true, true, true, true, false, false])
  expect(second.at(-1)?.message).toMatch(/Too many commands/)
})
