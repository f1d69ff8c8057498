// A server of the fan-out benchmark in a separate process: the product, a bare server that writes the same bytes, or a rival.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttp, type Server as HttpServer, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { HarnessServer } from '@bridle/server/node/index'
import { encodeTextFrames } from '@bridle/server/node/sockets/frames'
import * as v from 'valibot'
import { serveCalls, usage } from './child.ts'
import { type BenchServer, type BenchWire, type LongSession, type ReplyPlan, streamReply } from './fanout-reply.ts'
import { listen, plainLog } from './fanout-world.ts'
import { requireFetched } from './fetched.ts'
import { agentsInWorkerd } from './rival-agents.ts'
import { aiOnRedis } from './rival-ai.ts'
import { durableStreams } from './rival-durable-streams.ts'

const servers: { readonly [name: string]: () => Promise<BenchServer> } = {
  ours: () => ours(),
  'ours per token': () => ours(0),
  tcp: () => rawTcp(deltaLog()),
  'tcp without a log': () => rawTcp(() => {}),
  ws: () => wsSend(),
  'res.write': () => resWrite(),
  'socket.io': () => socketIo(),
  'AG-UI': () => agUi(),
  'ai + redis': () => aiOnRedis(folder),
  agents: () => agentsInWorkerd(folder),
  'durable-streams': () => durableStreams(folder),
}

const folder = mkdtempSync(join(tmpdir(), 'bench-fanout-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** The whole product: HTTP, access, kernel, SQLite, wires. The tokens take the path of any agent's tokens. */
const ours = async (tokenPaceMs?: number): Promise<BenchServer> => {
  let sentAt: number[] = []
  const speaker = agent({
    name: 'speaker',
    input: v.looseObject({}),
    run: async ({ input, session }) => {
      sentAt = await streamReply(input as unknown as ReplyPlan, (text) => session.text(text))
      return sentAt.length
    },
  })
  const server = await HarnessServer.start({
    port: 0,
    data: join(folder, 'data'),
    agentsRoot: folder,
    agents: [speaker, writer],
    env: {},
    log: () => {},
    maxSockets: 20_000,
    ...(tokenPaceMs !== undefined && { tokenPaceMs }),
  })
  let id = ''
  let rooms = 0
  const invoke = async (plan: ReplyPlan) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(plan) }
    const response = await fetch(`${server.url}/agents/speaker/${id}`, request)
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return sentAt
  }
  return {
    async endpoint(wire) {
      id = `s${++rooms}`
      await invoke({ tokens: 0, burst: 1, pace: 'by the clock' })
      const path = wire === 'ws' ? `/sessions/${id}/ws` : `/sessions/${id}/events?replay=none`
      return { wire, port: Number(new URL(server.url).port), path }
    },
    stream: invoke,
    longSession: (events) => longSession(server.url, events),
  }
}

/** Turns that alternate text and thinking, so that no two tokens merge into one event; the last word occurs once. */
const longSession = async (url: string, events: number): Promise<LongSession> => {
  const end = 'the-very-end'
  const headers = { 'content-type': 'application/json' }
  for (let made = 0; made <= events; made += EVENTS_PER_TURN) {
    const body = JSON.stringify({ events: EVENTS_PER_TURN, end: made + EVENTS_PER_TURN > events ? end : '' })
    const response = await fetch(`${url}/agents/writer/long`, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  }
  return { port: Number(new URL(url).port), id: 'long', end }
}
const EVENTS_PER_TURN = 5_000

const writer = agent({
  name: 'writer',
  input: v.object({ events: v.number(), end: v.string() }),
  run: async ({ input, session }) => {
    const { events, end } = input
    for (let index = 0; index < events / 2; index++) {
      await session.text(`w${index % 100} `)
      await session.thinking(`t${index % 100} `)
    }
    if (end) await session.text(end)
  },
})

/** A delta of the product on the wire, so that the bare servers carry the same bytes. */
const eventOf = (delta: string, index: number) => ({
  id: `ev-${index + 7}`,
  type: 'text_delta',
  timestamp: new Date().toISOString(),
  sessionId: 's1',
  data: { delta },
})
const messageOf = (delta: string, index: number) => JSON.stringify({ type: 'event', event: eventOf(delta, index) })
const sseOf = (delta: string, index: number) => `id: ${index + 7}\ndata: ${JSON.stringify(eventOf(delta, index))}\n\n`

/** The least possible work: store the delta, encode it once, and write the same bytes to every socket. */
const rawTcp = async (log: (delta: string) => void): Promise<BenchServer> => {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  return {
    endpoint: () => ({ wire: 'tcp', port, path: '/' }),
    stream: (plan) =>
      streamReply(plan, (text, index) => {
        log(text)
        const bytes = encodeTextFrames([messageOf(text, index)])
        for (const socket of sockets) socket.write(bytes)
      }),
  }
}

/** The usual way with the `ws` package: encode the text once, and frame it for each socket. */
const wsSend = async (): Promise<BenchServer> => {
  const require = createRequire(new URL('../packages/bridle/package.json', import.meta.url))
  const { WebSocketServer } = require('ws') as { WebSocketServer: WsServer }
  const server = createHttp()
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  // The documentation of the library recommends this setting.
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
  const log = deltaLog()
  return {
    endpoint: () => ({ wire: 'ws', port, path: '/' }),
    stream: (plan) =>
      streamReply(plan, (text, index) => {
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

/** The usual way to serve events: encode the text once, and write it to each response. */
const resWrite = async (): Promise<BenchServer> => {
  const { port, responses } = await eventServer()
  const log = deltaLog()
  return {
    endpoint: () => ({ wire: 'sse', port, path: '/' }),
    stream: (plan) =>
      streamReply(plan, (text, index) => {
        log(text)
        const frame = sseOf(text, index)
        for (const response of responses) response.write(frame)
      }),
  }
}

const socketIo = async (): Promise<BenchServer> => {
  const { Server: Io } = requireFetched<{ Server: IoServer }>('socket.io')
  const server = createHttp()
  const io = new Io(server, { serveClient: false, transports: ['websocket'] })
  io.on('connection', (socket) => socket.join('room'))
  const port = await listen(server)
  const log = deltaLog()
  return {
    endpoint: () => ({ wire: 'socket.io', port, path: '/socket.io/?EIO=4&transport=websocket' }),
    stream: (plan) =>
      streamReply(plan, (delta) => {
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

const agUi = async (): Promise<BenchServer> => {
  const { EventEncoder } = requireFetched<{ EventEncoder: AgUiEncoder }>('@ag-ui/encoder')
  const { port, responses } = await eventServer()
  const encoder = new EventEncoder()
  const log = deltaLog()
  return {
    endpoint: () => ({ wire: 'sse', port, path: '/' }),
    stream: (plan) =>
      streamReply(plan, (delta) => {
        const frame = encoder.encodeSSE({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'message-1', delta })
        for (const response of responses) response.write(frame)
        log(delta)
      }),
  }
}

type AgUiEncoder = new () => { encodeSSE(event: object): string }

const eventServer = async (): Promise<{ port: number; responses: Set<ServerResponse> }> => {
  const responses = new Set<ServerResponse>()
  const server = createHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.write(': open\n\n')
    responses.add(response)
    response.on('close', () => responses.delete(response))
  })
  return { port: await listen(server), responses }
}

/** The bare servers and the libraries keep no log, so the benchmark stores each delta. The libraries send first. */
const deltaLog = (): ((delta: string) => void) => {
  const log = plainLog(folder)
  return (delta) => log({ type: 'text_delta', delta })
}

const serving = servers[process.argv[2] ?? '']!()
// Answer a request for a room.
serving.catch(() => {})
serveCalls({
  room: async (wire: BenchWire) => (await serving).endpoint(wire),
  stream: async (plan: ReplyPlan) => (await serving).stream(plan),
  longSession: async (events: number) => (await serving).longSession?.(events),
  usage: async ({ collect }: { collect: boolean }) => {
    if (collect) for (let times = 0; times < 3; times++) globalThis.gc?.()
    return usage((await serving).others)
  },
})
