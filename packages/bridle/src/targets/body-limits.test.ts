// How much of a body the server takes before it refuses, counted at its own end of the connection.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HarnessServer, startDevServer } from './node.ts'

const MIB = 1024 * 1024
const LIMIT = 8 * MIB
/** Headers, chunk sizes, and what one read of the socket may bring on top. */
const SLACK = MIB

let server: HarnessServer
const data = mkdtempSync(join(tmpdir(), 'bridle-bodies-'))
const sockets = new Set<Socket>()
const onStart = (event: unknown) => void sockets.add((event as { socket: Socket }).socket)

beforeAll(async () => {
  subscribe('http.server.request.start', onStart)
  server = await startDevServer({ port: 0, data, log: () => {}, env: {} })
})
afterAll(async () => {
  unsubscribe('http.server.request.start', onStart)
  await server.close()
  rmSync(data, { recursive: true, force: true })
})

/** Sends without end until something comes back, then until the connection is closed. */
const flood = async (path: string, head: string, piece: Buffer) => {
  sockets.clear()
  const { hostname, port, host } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  let takenAtAnswer = 0
  const taken = () => [...sockets].reduce((sum, each) => sum + each.bytesRead, 0)
  socket.on('data', (chunk) => {
    if (answer === '') takenAtAnswer = taken()
    answer += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(`POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${head}\r\n\r\n`)
  const send = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', send)
  send()
  await closed
  return { answer, takenAtAnswer, taken: taken() }
}

const piece = Buffer.alloc(64 * 1024, 'x')
const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])

test.each(['/sessions', '/chat/sessions', '/agents/scripted/x', '/tickets'])(
  '[H12] %s takes no more of a body than its limit',
  async (path) => {
    const { answer, takenAtAnswer, taken } = await flood(path, 'transfer-encoding: chunked', chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(takenAtAnswer).toBeLessThanOrEqual(LIMIT + SLACK)
    // A little more is dropped, so that its sender gets to read the answer.
    expect(taken).toBeLessThanOrEqual(2 * LIMIT)
  },
)

test.each(['/sessions', '/chat/sessions', '/agents/scripted/x'])(
  '[H12] %s takes nothing of a body that announces too much',
  async (path) => {
    const { answer, takenAtAnswer } = await flood(path, `content-length: ${4 * LIMIT}`, piece)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(takenAtAnswer).toBeLessThanOrEqual(SLACK)
  },
)
