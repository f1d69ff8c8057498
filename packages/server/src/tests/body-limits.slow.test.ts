// The largest command on each route, and the bytes of a body that the server reads before it refuses, counted in the server.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HarnessServer, startDevServer } from '../node/index.ts'
import { openTestSocket } from './socket-client.suite.ts'

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

const words = 'w'.repeat(1_400_000)
const at = (path: string) => `${server.url}${path}`
const kept = async (id: string): Promise<boolean> =>
  JSON.stringify((await get(at(`/sessions/${id}`))).body).includes(words)

test.each<[string, () => Promise<{ status: number }>]>([
  ['invoke', () => post(at('/agents/scripted/invoke'), { prompt: words })],
  ['invoke with other fields', () => post(at('/agents/scripted/fields'), { prompt: words, more: { than: 'that' } })],
  ['background', () => post(at('/sessions'), { session_id: 'background', agent: 'scripted', prompt: words })],
  [
    'chat',
    async () => {
      await post(at('/chat/sessions'), { session_id: 'chat', agent: 'scripted' })
      return post(at('/chat/sessions/chat/turns'), { prompt: words, input: { more: true } })
    },
  ],
])('[H12] [S26] a prompt of 1.4 million characters works: %s', async (name, ask) => {
  expect((await ask()).status).toBeLessThan(300)
  expect(await kept(name.split(' ').at(-1)!)).toBe(true)
})

test('[S26] [T12] also on the socket of the transport, with three at once', async () => {
  const lines = await Promise.all(['a', 'b', 'c'].map((id) => openTestSocket(at(`/ws?sessionId=line-${id}`))))
  for (const line of lines)
    line.say({ type: 'commands', commands: [{ type: 'submit', prompt: words, commandId: 'one' }] })
  for (const line of lines) {
    const messages = (await line.until((all) => all.some(({ type }) => type === 'ack'))) as readonly object[]
    expect(messages.find((each) => 'commandId' in each)).toMatchObject({ ok: true })
    line.ws.close()
  }
})

test('[S26] [W15] and an approval of that size on the Fabric socket is read, and one beyond the limit refused', async () => {
  await post(at('/agents/scripted/asked'), { prompt: '@script [{"text":"hi"}]' })
  const line = await openTestSocket(at('/sessions/asked/ws'))
  for (const [commandId, text] of Object.entries({ fits: words, large: `${words}${words}` }))
    line.say({ type: 'approve', approvalId: 'none', decision: 'approved', args: { text }, commandId })
  const acks = (await line.until((all) => all.filter(({ type }) => type === 'ack').length === 2)) as readonly object[]
  expect(acks.filter((each) => 'commandId' in each)).toMatchObject([
    { commandId: 'fits', message: expect.stringContaining('approval') },
    { commandId: 'large', message: expect.stringContaining('too large') },
  ])
  line.ws.close()
})

test('[H12] [S26] one beyond the limit is refused, and says what the limit is', async () => {
  const { status, body } = await post(at('/agents/scripted/beyond'), { prompt: `${words}${words}` })
  expect([status, body.error]).toEqual([400, expect.stringContaining('1.5 million characters')])
})
