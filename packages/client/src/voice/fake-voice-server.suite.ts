// A server of voice lines that says what a test tells it to say, and keeps what it hears.
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { listening } from '../socket/cutting-proxy.suite.ts'

export interface FakeLine {
  readonly query: URLSearchParams
  readonly protocols: readonly string[]
  /** Texts other than pings as they were parsed, and binary frames as their lengths. */
  readonly heard: unknown[]
  say(...messages: object[]): void
  play(...bytes: number[]): void
  close(code: number, reason?: string): void
  /** Cuts the connection without a close frame. */
  cut(): void
}

export interface FakeVoiceServer {
  readonly url: string
  readonly lines: FakeLine[]
  /** Called for each new line, before anything else happens on it; default: it opens. */
  greet: (line: FakeLine) => void
  /** Requests that are no upgrade: the status of their answer. */
  status: number
  end(): void
}

export const OPEN = {
  type: 'session_open',
  sessionId: 's',
  agent: 'voice',
  line: '',
  mode: 'realtime',
  model: 'gpt-realtime',
  voice: 'alloy',
  audioFormat: 'pcm16',
  sampleRate: 24_000,
  turns: 'silence',
  cursor: '0',
} as const

export const fakeVoiceServer = async (): Promise<FakeVoiceServer> => {
  const http = createServer((request, response) => {
    const isTicket = request.url === '/tickets' && server.status === 426
    response
      .writeHead(isTicket ? 201 : server.status)
      .end(JSON.stringify(isTicket ? { ticket: 'tick' } : { error: 'No.' }))
  })
  const sockets = new WebSocketServer({ server: http, handleProtocols: () => 'bridle.v1' })
  sockets.on('connection', (socket, { url = '', headers }) => {
    const line = fakeLine(socket, new URL(url, 'http://fake'), headers['sec-websocket-protocol'])
    server.lines.push(line)
    server.greet(line)
  })
  const server: FakeVoiceServer = {
    url: `${(await listening(http)).replace('http', 'ws')}/sessions/s/voice`,
    lines: [],
    greet: (line) => line.say({ ...OPEN, line: line.query.get('line') }),
    status: 426,
    end: () => {
      for (const client of sockets.clients) client.terminate()
      http.close()
    },
  }
  return server
}

const fakeLine = (socket: WebSocket, url: URL, protocols = ''): FakeLine => {
  const heard: unknown[] = []
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? (data as Buffer).byteLength : (JSON.parse(data.toString()) as { type?: unknown })
    if (typeof message === 'number' || message.type !== 'ping') heard.push(message)
  })
  return {
    query: url.searchParams,
    protocols: protocols.split(/, ?/),
    heard,
    say: (...messages) => {
      for (const message of messages) socket.send(JSON.stringify(message))
    },
    play: (...bytes) => socket.send(Uint8Array.from(bytes)),
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
  }
}
