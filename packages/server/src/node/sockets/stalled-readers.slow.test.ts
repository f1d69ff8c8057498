// Readers of a real server that do not read: how they are cut, alone and together.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { post, readFrames, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestSocket } from '../../tests/socket-client.suite.ts'
import { HarnessServer, type ServerOptions } from '../index.ts'

let folder: string
let server: HarnessServer | undefined
const open: { destroy(): void }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-stalled-'))
})
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

const start = async (options: ServerOptions = {}): Promise<string> => {
  server = await HarnessServer.start({ port: 0, data: folder, tokenPaceMs: 0, log: () => {}, ...options })
  return server.url
}
const until = async (check: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await check()); tries++) {
    if (tries > 2_000) throw new Error('It did not happen.')
    await sleep(10)
  }
}
const listeners = async (url: string) => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^bridle_listeners (\d+)$/m.exec(metrics)?.[1])
}

/** An event stream whose reader takes the first bytes and then waits for the test. */
const stalledStream = async (url: string, id: string) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  open.push(socket)
  const seen = { text: '', resume: () => socket.resume(), closed: new Promise((done) => socket.on('close', done)) }
  socket.setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', (text) => {
    seen.text += text
  })
  socket.write(`GET /agents/scripted/${id}/stream HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  return seen
}

/** Into a session until its readers are cut, or there is more than all buffers of the system hold. */
const flood = async (url: string, id: string, enough: () => Promise<boolean>) => {
  for (let rounds = 0; rounds < 100 && !(await enough()); rounds++)
    await post(`${url}/agents/scripted/${id}`, scriptBody({ text: 'x'.repeat(200_000), chunks: 10 }))
}

test('[H10] a stream whose reader is too far behind is cut, and its unsent bytes are dropped', async () => {
  const url = await start()
  const reader = await stalledStream(url, 'slow')
  await flood(url, 'slow', async () => (await listeners(url)) === 0)
  expect(await listeners(url)).toBe(0)
  reader.resume()
  await reader.closed
  // Had it only been ended, the rest and the last chunk would have come first.
  expect(reader.text.endsWith('\r\n0\r\n\r\n')).toBe(false)
})

describe('[O9] all readers together', () => {
  test('a long replay waits for its reader; when many wait, those furthest behind are cut and the others continue', async () => {
    const url = await start({ maxUnsentBytes: 600_000 })
    for (let turn = 0; turn < 40; turn++)
      await post(`${url}/agents/scripted/long`, scriptBody({ text: 'x'.repeat(200_000), chunks: 10 }))
    const [last] = await readFrames(`${url}/agents/scripted/long/stream?replay=1`, (frames) => frames.length > 0)
    const readers = [await stalledStream(url, 'long')]
    // A single stalled reader stays within the budget; each further reader adds a part of a page.
    while (readers.length < 20) readers.push(await stalledStream(url, 'long'))
    await until(async () => (await listeners(url)) < 10)
    expect(await listeners(url)).toBeGreaterThan(0)
    const isWhole = (text: string) => text.slice(-1_000).includes(`"id":"ev-${last?.id}"`)
    for (const reader of readers) {
      reader.resume()
      await Promise.race([reader.closed, until(() => isWhole(reader.text))])
    }
    expect(readers.filter(({ text }) => isWhole(text)).length).toBeGreaterThan(0)
  })

  test.each([
    ['the Fabric socket', '/sessions/s/ws'],
    ['the transport', '/ws?sessionId=s'],
  ])('[W16] [T18] %s is closed with 4008', async (_name, path) => {
    const socket = await cutSocket(path)
    socket.ws.resume()
    expect((await socket.closed).code).toBe(4008)
  })

  test('[W16] a socket that still does not read is dropped, with its unsent bytes', async () => {
    const socket = await cutSocket('/sessions/s/ws')
    await sleep(2_500)
    socket.ws.resume()
    expect((await socket.closed).code).toBe(1006)
  })
})

/** A socket that does not read, and is cut for it. */
const cutSocket = async (path: string) => {
  const url = await start({ maxUnsentBytes: 100_000 })
  await post(`${url}/agents/scripted/s`, scriptBody({ text: 'here' }))
  const socket = await openTestSocket(`${url}${path}`)
  open.push({ destroy: () => socket.ws.terminate() })
  await socket.until((messages) => messages.length > 0)
  const before = await listeners(url)
  socket.ws.pause()
  await flood(url, 's', async () => (await listeners(url)) < before)
  return socket
}
