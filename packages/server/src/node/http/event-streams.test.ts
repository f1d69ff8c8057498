// Event streams byte by byte, as bare sockets of either HTTP version see them.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { post as postTo, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { HarnessServer } from '../index.ts'

let folder: string
let server: HarnessServer
const authToken = 'secret'
const authorization = `Bearer ${authToken}`
const open: Socket[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-events-'))
  server = await HarnessServer.start({ port: 0, data: folder, tokenPaceMs: 0, authToken, log: () => {} })
})
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const post = (url: string, body: unknown) => postTo(url, body, { authorization })
const agent = (id: string) => `${server.url}/agents/scripted/${id}`
const get = (path: string, version = '1.1', method = 'GET') =>
  `${method} ${path} HTTP/${version}\r\nhost: localhost\r\nauthorization: ${authorization}\r\n\r\n`

/** A bare socket, and what came over it. */
const dial = (request: string) => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  open.push(socket)
  const seen = { socket, text: '', ended: false }
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    seen.text += text
  })
  socket.on('end', () => {
    seen.ended = true
  })
  socket.on('error', () => {})
  socket.write(request)
  return seen
}
const until = async (check: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await check()); tries++) {
    if (tries > 400) throw new Error('It did not happen.')
    await sleep(10)
  }
}
const headOf = (text: string) => text.slice(0, text.indexOf('\r\n\r\n')).toLowerCase()
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)

/** The content of whole chunks; whether the last one has come; what follows it. */
const unchunked = (body: string) => {
  let content = ''
  let at = 0
  for (;;) {
    const line = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.slice(at, line), 16)
    if (line < 0 || line + 2 + size + 2 > body.length) return { content, ended: false, rest: body.slice(at) }
    expect(body.slice(line + 2 + size, line + 4 + size)).toBe('\r\n')
    if (size === 0) return { content, ended: true, rest: body.slice(line + 4) }
    content += body.slice(line + 2, line + 2 + size)
    at = line + 4 + size
  }
}
const utf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString()
const listeners = async () => {
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: { authorization } })).text()
  return Number(/^bridle_listeners (\d+)$/m.exec(metrics)?.[1])
}

test('[H4] HTTP/1.1: whole chunks, counted in bytes; after the last one the connection serves the next request', async () => {
  const reader = dial(get('/agents/scripted/chunks/stream'))
  await until(() => reader.text.includes(': open'))
  await post(agent('chunks'), scriptBody({ text: 'Grüße, 世界 🙂' }))
  await until(() => reader.text.includes('"idle"'))
  expect(headOf(reader.text)).toContain('transfer-encoding: chunked')
  const { content, ended, rest } = unchunked(bodyOf(reader.text))
  expect(utf8(content)).toContain('"delta":"Grüße, 世界 🙂"')
  expect({ ended, rest }).toEqual({ ended: false, rest: '' })

  await fetch(agent('chunks'), { method: 'DELETE', headers: { authorization } })
  await until(() => unchunked(bodyOf(reader.text)).ended)
  reader.socket.write(get('/health'))
  await until(() => unchunked(bodyOf(reader.text)).rest.includes('200 OK'))
})

test('[H9] HTTP/1.0, as proxies speak it: no chunks, and the end of the connection is the end of the stream', async () => {
  const reader = dial(get('/agents/scripted/plain/stream', '1.0'))
  await until(() => reader.text.includes(': open'))
  await post(agent('plain'), scriptBody({ text: 'Grüße' }))
  await until(() => reader.text.includes('"idle"'))
  expect(headOf(reader.text)).not.toContain('chunked')
  expect(utf8(bodyOf(reader.text))).toMatch(/^: open\n\nretry: 2000\n\nid: \d+\ndata: \{.*"Grüße".*\}\n\n$/s)
  await fetch(agent('plain'), { method: 'DELETE', headers: { authorization } })
  await until(() => reader.ended)
})

test('readers of both kinds get the same events in the same turn', async () => {
  const [old, young] = [dial(get('/agents/scripted/both/stream', '1.0')), dial(get('/agents/scripted/both/stream'))]
  await until(() => old.text.includes(': open') && young.text.includes(': open'))
  await post(agent('both'), scriptBody({ text: 'one two three', chunks: 3 }))
  await until(() => old.text.includes('"idle"') && young.text.includes('"idle"'))
  expect(unchunked(bodyOf(young.text)).content).toBe(bodyOf(old.text))
})

test('behind an unfinished answer on the same connection a stream waits its turn', async () => {
  const body = JSON.stringify(scriptBody({ sleepMs: 100 }, { text: 'answered' }))
  const invoke = `POST /agents/scripted/piped HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const reader = dial(invoke + get('/agents/scripted/piped/stream'))
  await until(() => reader.text.includes('"idle"'))
  expect(reader.text.indexOf('"result":"answered"')).toBeLessThan(reader.text.indexOf(': open'))
})

test('whoever leaves, or asks for the head alone, is not listened for', async () => {
  await until(async () => (await listeners()) === 0)
  const head = dial(get('/agents/scripted/left/stream', '1.1', 'HEAD'))
  const reader = dial(get('/agents/scripted/left/stream'))
  await until(() => reader.text.includes(': open') && head.text.includes('200 OK'))
  expect(await listeners()).toBe(1)
  reader.socket.destroy()
  await until(async () => (await listeners()) === 0)
})
