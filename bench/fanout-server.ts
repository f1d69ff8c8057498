// One server of the fan-out benchmark in a process of its own: ours, a bare one that writes the same bytes, or a rival.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttp, type Server as HttpServer, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { agent } from '../packages/bridle/src/agents/agent.ts'
import { HarnessServer } from '../packages/bridle/src/targets/node.ts'
import { frames } from '../packages/bridle/src/targets/socket-frames.ts'
import { answer, usage } from './child.ts'
import { type Plan, type Room, rivals, speak, type Wire } from './fanout-reply.ts'
import { fetchPackage } from './fetched.ts'

interface Served {
  /** A place where nobody has been yet. */
  room(wire: Wire): Promise<Room> | Room
  /** Streams the reply to everybody in the last room; resolves to when each token was said. */
  stream(plan: Plan): Promise<number[]>
}

const servers: { readonly [name: string]: () => Promise<Served> } = {
  ours: () => ours(),
  'ours per token': () => ours(0),
  tcp: () => rawTcp(plainLog()),
  'tcp without a log': () => rawTcp(() => {}),
  ws: wsSend,
  'res.write': resWrite,
  'socket.io': socketIo,
  'ag-ui': agUi,
}

const folder = mkdtempSync(join(tmpdir(), 'bench-fanout-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** The product whole: HTTP, door, kernel, SQLite, wires. The agent's words go the way of any agent's words. */
async function ours(tokenPaceMs?: number): Promise<Served> {
  let said: number[] = []
  const speaker = agent({
    name: 'speaker',
    run: async ({ input, session }) => {
      said = await speak(input as unknown as Plan, (text) => session.text(text))
      return said.length
    },
  })
  const server = await HarnessServer.start({
    port: 0,
    data: join(folder, 'data'),
    agentsRoot: folder,
    agents: [speaker],
    env: {},
    log: () => {},
    maxSockets: 20_000,
    ...(tokenPaceMs !== undefined && { tokenPaceMs }),
  })
  let id = ''
  let rooms = 0
  const invoke = async (plan: Plan) => {
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(plan) }
    const response = await fetch(`${server.url}/agents/speaker/${id}`, asked)
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return said
  }
  return {
    async room(wire) {
      id = `s${++rooms}`
      await invoke({ tokens: 0, burst: 1, pace: 'by the clock' })
      const path = wire === 'ws' ? `/sessions/${id}/ws` : `/sessions/${id}/events?replay=none`
      return { wire, port: Number(new URL(server.url).port), path }
    },
    stream: invoke,
  }
}

/** What a delta of ours is on the wire, so that all limits carry the same bytes. */
const eventOf = (delta: string, index: number) => ({
  id: `ev-${index + 7}`,
  type: 'text_delta',
  timestamp: new Date().toISOString(),
  sessionId: 's1',
  data: { delta },
})
const messageOf = (delta: string, index: number) => JSON.stringify({ type: 'event', event: eventOf(delta, index) })
const sseOf = (delta: string, index: number) => `id: ${index + 7}\ndata: ${JSON.stringify(eventOf(delta, index))}\n\n`

/** The least there is: the delta is kept, and the same bytes, made once, are written to every socket. */
async function rawTcp(log: (delta: string) => void): Promise<Served> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  return {
    room: () => ({ wire: 'tcp', port, path: '/' }),
    stream: (plan) =>
      speak(plan, (text, index) => {
        log(text)
        const bytes = frames([messageOf(text, index)])
        for (const socket of sockets) socket.write(bytes)
      }),
  }
}

/** The usual way with the `ws` package: the text is made once, and framed for each socket. */
async function wsSend(): Promise<Served> {
  const require = createRequire(new URL('../packages/bridle/package.json', import.meta.url))
  const { WebSocketServer } = require('ws') as { WebSocketServer: WsServer }
  const server = createHttp()
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  // What its documentation asks of everybody.
  sockets.on('connection', (socket) => {
    let isAlive = true
    socket.on('error', () => {})
    socket.on('pong', () => {
      isAlive = true
    })
    socket.on('message', () => {
      if (!isAlive) socket.terminate()
    })
  })
  const port = await listen(server)
  const log = plainLog()
  return {
    room: () => ({ wire: 'ws', port, path: '/' }),
    stream: (plan) =>
      speak(plan, (text, index) => {
        log(text)
        const message = messageOf(text, index)
        for (const socket of sockets.clients) socket.send(message)
      }),
  }
}

type WsServer = new (options: {
  server: HttpServer
  perMessageDeflate: boolean
}) => {
  readonly clients: Set<{ send(text: string): void }>
  on(event: 'connection', call: (socket: WsSocket) => void): void
}
interface WsSocket {
  on(event: 'error' | 'pong' | 'message', call: () => void): void
  terminate(): void
}

/** The usual way to serve events: the text is made once, and written to each response. */
async function resWrite(): Promise<Served> {
  const { port, responses } = await eventServer()
  const log = plainLog()
  return {
    room: () => ({ wire: 'sse', port, path: '/' }),
    stream: (plan) =>
      speak(plan, (text, index) => {
        log(text)
        const frame = sseOf(text, index)
        for (const response of responses) response.write(frame)
      }),
  }
}

async function socketIo(): Promise<Served> {
  const { Server: Io } = (await fetchPackage<{ Server: IoServer }>(rivals['socket.io']))!
  const server = createHttp()
  const io = new Io(server, { serveClient: false, transports: ['websocket'] })
  io.on('connection', (socket) => socket.join('room'))
  const port = await listen(server)
  const log = plainLog()
  return {
    room: () => ({ wire: 'socket.io', port, path: '/socket.io/?EIO=4&transport=websocket' }),
    stream: (plan) =>
      speak(plan, (delta) => {
        io.to('room').emit('text_delta', { delta })
        log(delta)
      }),
  }
}
type IoServer = new (
  server: HttpServer,
  options: object,
) => {
  on(event: 'connection', call: (socket: { join(room: string): void }) => void): void
  to(room: string): { emit(event: string, data: object): void }
}

async function agUi(): Promise<Served> {
  const { EventEncoder } = (await fetchPackage<{ EventEncoder: AgUiEncoder }>(rivals['ag-ui']))!
  const { port, responses } = await eventServer()
  const encoder = new EventEncoder()
  const log = plainLog()
  return {
    room: () => ({ wire: 'sse', port, path: '/' }),
    stream: (plan) =>
      speak(plan, (delta) => {
        const frame = encoder.encodeSSE({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'message-1', delta })
        for (const response of responses) response.write(frame)
        log(delta)
      }),
  }
}

type AgUiEncoder = new () => { encodeSSE(event: object): string }

async function eventServer(): Promise<{ port: number; responses: Set<ServerResponse> }> {
  const responses = new Set<ServerResponse>()
  const server = createHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.write(': open\n\n')
    responses.add(response)
    response.on('close', () => responses.delete(response))
  })
  return { port: await listen(server), responses }
}

/** The others keep no log of their own: each delta goes to a plain SQLite table, as durable as ours. Rivals send first. */
function plainLog(): (delta: string) => void {
  const db = new DatabaseSync(join(folder, 'log.sqlite'))
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE log (seq INTEGER PRIMARY KEY, body TEXT)')
  const insert = db.prepare('INSERT INTO log (body) VALUES (?)')
  return (delta) => insert.run(JSON.stringify({ type: 'text_delta', delta }))
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => resolve((server.address() as AddressInfo).port))
  })

const serving = servers[process.argv[2] ?? '']!()
answer({
  room: async (wire: Wire) => (await serving).room(wire),
  stream: async (plan: Plan) => (await serving).stream(plan),
  usage: ({ collect }: { collect: boolean }) => {
    if (collect) for (let times = 0; times < 3; times++) globalThis.gc?.()
    return usage()
  },
})
