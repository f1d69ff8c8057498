// A fake server for tests of a client: the test opens each connection, sends on it and breaks it.
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { ClientMessage, HarnessCommand, ServerMessage } from '@bridle/wire/transport/wire'
import type { WebSocketClass } from '../socket/reconnecting-socket.ts'
import { HarnessClient } from './client.ts'
import type { HarnessClientOptions } from './options.ts'

export class FakeSocket {
  readonly url: URL
  /** As of `WebSocket`; a test sets 2 for a socket that closes. */
  readyState = 1
  /** The client's messages. */
  readonly received: ClientMessage[] = []
  /** The code that the client closed with. */
  closedWith: number | null = null
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number; reason: string }) => void) | null = null
  onerror: (() => void) | null = null

  constructor(url: string) {
    this.url = new URL(url)
  }

  get after(): string | null {
    return this.url.searchParams.get('after')
  }

  get commands(): HarnessCommand[] {
    return this.received.flatMap((message) => (message.type === 'commands' ? message.commands : []))
  }

  open(...messages: ServerMessage[]): this {
    this.onopen?.()
    return this.tell(...messages)
  }

  tell(...messages: ServerMessage[]): this {
    for (const message of messages) this.raw(JSON.stringify(message))
    return this
  }

  raw(data: unknown): void {
    this.onmessage?.({ data })
  }

  cut(code = 1006, reason = ''): void {
    this.onclose?.({ code, reason })
  }

  send(text: string): void {
    this.received.push(JSON.parse(text) as ClientMessage)
  }

  close(code = 1000): void {
    this.closedWith ??= code
  }
}

export interface FakeServer {
  readonly sockets: FakeSocket[]
  readonly WebSocket: WebSocketClass
  /** The newest line, once there are as many. */
  socket(count: number): Promise<FakeSocket>
}

export const fakeServer = (): FakeServer => {
  const sockets: FakeSocket[] = []
  const waiting = new Set<() => void>()
  const WebSocket = class extends FakeSocket {
    constructor(url: string) {
      super(url)
      sockets.push(this)
      for (const check of waiting) check()
    }
  } as unknown as WebSocketClass
  // No time limit of its own: timers may be fake, and on a busy machine a reconnect takes its time.
  const socket = (count: number) =>
    new Promise<FakeSocket>((resolve) => {
      const check = () => {
        const found = sockets[count - 1]
        if (!found) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  return { sockets, WebSocket, socket }
}

/** At once, unless a test wants to see the waiting. */
const backoff = { firstMs: 0, longestMs: 0 }

export const fakeClientOf = (server: FakeServer, options: Partial<HarnessClientOptions> = {}): HarnessClient =>
  new HarnessClient({
    url: 'ws://fake/ws?userId=ann',
    WebSocket: server.WebSocket,
    schedule: 'sync',
    backoff,
    ...options,
  })

/** A client that is open, and its line. */
export const openClient = async (
  options: Partial<HarnessClientOptions> & { first?: ServerMessage } = {},
): Promise<{ server: FakeServer; client: HarnessClient; line: FakeSocket }> => {
  const server = fakeServer()
  const client = fakeClientOf(server, options)
  const line = (await server.socket(1)).open(options.first ?? state(0))
  return { server, client, line }
}

export const assistantMessage = (content: string, id = 'm-1') =>
  ({ id, role: 'assistant', content, status: 'streaming' }) as const

export const stateOf = (...texts: string[]): HarnessState => ({
  status: 'idle',
  messages: texts.map((text, index) => assistantMessage(text, `m-${index}`)),
})

export const state = (seq: number | undefined, ...texts: string[]): ServerMessage => ({
  type: 'state',
  state: stateOf(...texts),
  ...(seq !== undefined && { seq }),
})

export const delta = (prev: number, seq: number, ...operations: unknown[]): ServerMessage =>
  ({ type: 'delta', operations, prev, seq }) as ServerMessage

export const textsOf = (client: HarnessClient): string[] => client.getSnapshot().messages.map(({ content }) => content)

/** How a promise ended: its value, or the code of its error. */
export const settledOutcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: string }) => error.code ?? error)
