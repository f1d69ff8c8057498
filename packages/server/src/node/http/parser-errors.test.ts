// Requests that never reach a route, byte by byte.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HarnessServer } from '../index.ts'

let folder: string
let server: HarnessServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-refusals-'))
  server = await HarnessServer.start({ port: 0, data: folder, headersMs: 1_000, log: () => {} })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Everything that comes back until the server ends the connection. */
const said = (text: string, then = ''): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      answer += part
      if (then !== '') socket.write(then)
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    if (text !== '') socket.write(text)
  })
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
const bodyOf = (answer: string) => JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? 'null') as unknown

const head = (line: string, ...more: string[]) =>
  `${[line, 'host: localhost', 'connection: close', ...more].join('\r\n')}\r\n\r\n`
const chunked = head('POST /tickets HTTP/1.1', 'transfer-encoding: chunked')

describe('[H11] what Node refuses has the shape of every other error', () => {
  test.each<[string, string, number, unknown]>([
    ['a line that is no request', 'hello there\r\n\r\n', 400, expect.any(String)],
    ['a method nobody knows', head('FOO / HTTP/1.1'), 400, expect.any(String)],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, expect.any(String)],
    [
      'two lengths',
      head('POST /tickets HTTP/1.1', 'transfer-encoding: chunked', 'content-length: 2'),
      400,
      expect.any(String),
    ],
    ['a chunk without a size', `${chunked}zz\r\n`, 400, expect.any(String)],
    [
      'a chunk with a long extension',
      `${chunked}2;${'a'.repeat(20_000)}\r\n{}`,
      413,
      { type: 'body_too_large', message: expect.any(String) },
    ],
    ['headers that are too large', head('GET /health HTTP/1.1', `x: ${'y'.repeat(20_000)}`), 431, expect.any(String)],
    ['an expectation', head('POST /tickets HTTP/1.1', 'expect: wonders'), 417, expect.any(String)],
    ['no host', 'GET /health HTTP/1.1\r\nconnection: close\r\n\r\n', 400, expect.any(String)],
    ['a host with a path', 'GET /health HTTP/1.1\r\nhost: a/b\r\nconnection: close\r\n\r\n', 400, expect.any(String)],
    ['no path', head('OPTIONS * HTTP/1.1'), 400, expect.any(String)],
  ])('%s', async (_name, text, status, error) => {
    const answer = await said(text)
    expect([statusOf(answer), bodyOf(answer)]).toEqual([status, { error }])
  })

  test('[H27] a probe may speak HTTP/1.0 and name no host; nothing else may', async () => {
    for (const path of ['/health', '/ready', '/ready?full=1']) {
      const answer = await said(`GET ${path} HTTP/1.0\r\n\r\n`)
      expect([path, statusOf(answer)]).toEqual([path, 200])
    }
    for (const path of ['/sessions', '/health/x', '/readyx', '//health']) {
      const answer = await said(`GET ${path} HTTP/1.0\r\n\r\n`)
      expect([path, statusOf(answer), bodyOf(answer)]).toEqual([path, 400, { error: expect.any(String) }])
    }
    expect(statusOf(await said('GET /health HTTP/1.1\r\nconnection: close\r\n\r\n'))).toBe(400)
  })

  test('in the middle of an event stream it is only the end', async () => {
    const answer = await said(
      'GET /agents/scripted/x/stream HTTP/1.1\r\nhost: localhost\r\n\r\n',
      'hello there\r\n\r\n',
    )
    expect(answer).toContain(': open')
    expect(answer).not.toContain('error')
  })
})

describe('[H27] a connection that does not send its request is closed', () => {
  // Each waits for the same deadline of the server.
  test.concurrent.each([
    ['nothing', ''],
    ['half a line', 'GET /hea'],
    ['half its headers', 'GET /health HTTP/1.1\r\nhost: local'],
  ])('%s', async (_name, text) => {
    const answer = await said(text)
    expect([statusOf(answer), bodyOf(answer)]).toEqual([408, { error: expect.any(String) }])
  })

  test.concurrent('one that has sent them stays', async () => {
    const leave = new AbortController()
    const response = await fetch(`${server.url}/agents/scripted/stays/stream`, { signal: leave.signal })
    await said('')
    expect(await fetch(`${server.url}/metrics`).then((metrics) => metrics.text())).toContain('bridle_listeners 1')
    leave.abort()
    await response.text().catch(() => {})
  })
})
