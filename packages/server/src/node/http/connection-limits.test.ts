// A client with many silent connections keeps no other client out. All addresses are of this machine, in 127.0.0.0/8.

import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, expect, test } from 'vitest'
import { type ServerOptions, startDevServer } from '../index.ts'
import { PIPELINED_REQUESTS_MAX } from './listening.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const world = async (options: ServerOptions) => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-connections-'))
  const server = await startDevServer({ port: 0, data, log: () => {}, env: {}, authToken: 'right', ...options })
  stops.push(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })
  const { port, host } = new URL(server.url)

  /** A connection, and whether it is still open. */
  const open = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
    stops.push(() => void socket.destroy())
    socket.on('error', () => {})
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
    return { socket, closed }
  }

  /** The status of a request on this connection; null = it was closed instead. */
  const ask = (socket: Socket, path: string, headers: readonly string[] = ['authorization: Bearer right']) =>
    new Promise<number | null>((resolve) => {
      socket.once('data', (chunk: Buffer) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1])))
      socket.once('close', () => resolve(null))
      if (socket.destroyed) resolve(null)
      socket.write([`GET ${path} HTTP/1.1`, `host: ${host}`, ...headers, '', ''].join('\r\n'))
    })

  const silentOnes = async (count: number, address?: string) => {
    const all: Awaited<ReturnType<typeof open>>[] = []
    for (let n = 0; n < count; n++) all.push(await open(address))
    return all
  }
  const alive = (all: readonly { readonly socket: Socket }[]) => all.filter(({ socket }) => !socket.destroyed).length
  return { url: server.url, open, ask, silentOnes, alive }
}

test('[O24] those that are silent go first, oldest first, and everybody else gets in', async () => {
  const { open, ask, silentOnes, alive } = await world({ maxConnections: 10, headersMs: 60_000 })
  const silent = await silentOnes(10)
  for (let n = 0; n < 20; n++) {
    const caller = await open()
    expect(await ask(caller.socket, '/sessions')).toBe(200)
  }
  await expect.poll(() => alive(silent)).toBe(0)
})

test('[O24] one in use is never dropped for another; where all are, the new one is refused', async () => {
  const { url, open, ask, silentOnes, alive } = await world({ maxConnections: 8, headersMs: 60_000 })
  await post(`${url}/agents/scripted/s1`, scriptBody({ text: 'x' }), {
    authorization: 'Bearer right',
    connection: 'close',
  })
  const streams = await silentOnes(8)
  for (const { socket } of streams) expect(await ask(socket, '/agents/scripted/s1/stream')).toBe(200)
  for (let n = 0; n < 5; n++) expect(await ask((await open()).socket, '/health')).toBe(null)
  expect(alive(streams)).toBe(8)
  streams[0]?.socket.destroy()
  await expect.poll(async () => ask((await open()).socket, '/health')).toBe(200)
})

test('[O24] who was let in outlasts who was not', async () => {
  const { open, ask, silentOnes, alive } = await world({ maxConnections: 9, headersMs: 60_000 })
  const known = await silentOnes(3)
  for (const { socket } of known) expect(await ask(socket, '/sessions')).toBe(200)
  const refused = await silentOnes(3)
  for (const { socket } of refused) expect(await ask(socket, '/sessions', ['authorization: Bearer wrong'])).toBe(401)
  const silent = await silentOnes(3)
  for (let n = 0; n < 6; n++) {
    const caller = await open()
    expect(await ask(caller.socket, '/sessions')).toBe(200)
  }
  await expect.poll(() => [alive(known), alive(refused), alive(silent)]).toEqual([3, 0, 0])
})

test('[O24] an address has a limit of its own, and takes nothing from others', async () => {
  const { open, ask, silentOnes, alive } = await world({ maxConnectionsPerAddress: 5, headersMs: 60_000 })
  const others = await silentOnes(4, '127.0.0.2')
  const third = await silentOnes(4, '127.0.0.3')
  const greedy = await silentOnes(30)
  await expect.poll(() => alive(greedy)).toBe(5)
  expect([alive(others), alive(third)]).toEqual([4, 4])
  expect(await ask((await open('127.0.0.2')).socket, '/health')).toBe(200)
  // The newest connection of an address replaces its oldest.
  expect(greedy.slice(-5).every(({ socket }) => !socket.destroyed)).toBe(true)
  expect(await ask((await open()).socket, '/health')).toBe(200)
})

test('[O24] by default this machine itself has no such limit', async () => {
  const { silentOnes, alive } = await world({ headersMs: 60_000 })
  const many = await silentOnes(1_200)
  expect(alive(many)).toBe(1_200)
})

test('[H190] a connection that sends requests without waiting for answers is closed, and others are answered', async () => {
  const { open, ask } = await world({})
  const request = 'GET /sessions HTTP/1.1\r\nhost: a\r\n\r\n'
  const some = await open()
  let answers = 0
  some.socket.on('data', (chunk: Buffer) => (answers += chunk.toString().split('HTTP/1.1 401').length - 1))
  some.socket.write(request.repeat(PIPELINED_REQUESTS_MAX))
  await expect.poll(() => answers).toBe(PIPELINED_REQUESTS_MAX)
  // The answers are out, so the same number may follow.
  some.socket.write(request.repeat(PIPELINED_REQUESTS_MAX))
  await expect.poll(() => answers).toBe(2 * PIPELINED_REQUESTS_MAX)
  expect(some.socket.destroyed).toBe(false)

  const flood = await open()
  flood.socket.write(request.repeat(10 * PIPELINED_REQUESTS_MAX))
  await flood.closed
  expect(await ask(some.socket, '/sessions')).toBe(200)
})
