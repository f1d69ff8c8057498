// All parts between an engine and an MCP server in one process: the relays of runs, the proxy, and an operator's server that records its
// requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type CredentialProxy, startCredentialProxy } from '../credentials/proxy.ts'
import { createRelay, type EnvVars, type Relay, type RelayedRun } from '../server/relay.ts'
import type { EngineMcpAddress } from './declaration.ts'
import type { McpHandlers, McpRunName } from './handler.ts'
import type { McpMessage } from './messages.ts'
import { readSseEvents } from './sse-events.ts'
import { urlServers } from './url-server.ts'

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly message: McpMessage | null
}

/** Answers a request of the proxy. */
export type OperatorReply = (got: ReceivedRequest, response: ServerResponse) => unknown

export const listening = async (handle: (request: IncomingMessage, response: ServerResponse) => unknown) => {
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

export const jsonReply =
  (result: object, headers: object = {}): OperatorReply =>
  ({ message }, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, result }))

export const runName = (id: string): McpRunName => ({
  key: { tenant: 't', agent: 'claude', id },
  runId: 'r1',
  attempt: 1,
})

export interface McpRunWorld {
  readonly name: McpRunName
  /** The secret part of the addresses of the run. */
  readonly part: string
  /** Sends a request to the relay, like an engine. */
  ask(message: object | null, options?: AskOptions): Promise<McpAnswer>
  /** Where the engine asks. */
  url(server?: string, part?: string): string
  end(): void
}

export interface AskOptions {
  readonly server?: string
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
  /** The part of another run. */
  readonly part?: string
  readonly body?: string
}

export interface McpAnswer {
  readonly status: number
  readonly headers: Headers
  /** The messages of the answer, in their order. */
  readonly messages: readonly McpMessage[]
  readonly text: string
}

export interface McpWorldOptions {
  readonly servers?: { readonly [name: string]: Partial<EngineMcpAddress> }
  /** In place of operators' servers. */
  readonly handlers?: McpHandlers
  readonly commentMs?: number
}

export class McpWorld {
  readonly got: ReceivedRequest[] = []
  /** The answer of the operator's server. */
  reply: OperatorReply = jsonReply({ ok: true })
  proxy!: CredentialProxy
  operatorUrl = ''
  readonly #options: McpWorldOptions
  readonly #closers: (() => Promise<void>)[] = []
  readonly #runs = new Map<McpRunName, { vars: EnvVars }>()
  readonly #counts = new Map<string, number>()

  static async start(options: McpWorldOptions = {}): Promise<McpWorld> {
    const world = new McpWorld(options)
    const operator = await listening(async (request, response) => {
      const body = await text(request)
      const message = body === '' ? null : (JSON.parse(body) as McpMessage)
      const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, message }
      world.got.push(seen)
      await world.reply(seen, response)
    })
    world.#closers.push(operator.close)
    world.operatorUrl = operator.url
    await world.startServer()
    return world
  }

  private constructor(options: McpWorldOptions) {
    this.#options = options
  }

  /** Starts the next process of the server, which grants the active runs again at another address. */
  async startServer(): Promise<void> {
    const { commentMs } = this.#options
    this.proxy = await startCredentialProxy({
      ...{ secret: 'a secret', keys: {}, env: {} },
      ...(commentMs !== undefined && { mcpCommentMs: commentMs }),
    })
    for (const [name, run] of this.#runs) run.vars = this.#grant(name)
  }

  /** Breaks open connections, like kill -9. */
  async killServer(): Promise<void> {
    await this.proxy.close()
  }

  /** A run on a runner of its own. */
  async run(id: string, waits = true, commentMs?: number): Promise<McpRunWorld> {
    const name = runName(id)
    const state: { vars: EnvVars } = { vars: this.#grant(name) }
    this.#runs.set(name, state)
    const part = id.padEnd(32, '0')
    const names = Object.keys({ ...this.#options.servers, ...this.#options.handlers, docs: {} })
    let active: RelayedRun | null = { mcpPart: part, mcpServers: names }
    const relay: Relay = createRelay({
      vars: () => state.vars,
      activeRun: () => active,
      onStatus: () => {},
      ...(commentMs !== undefined && { mcpCommentMs: commentMs }),
      onMcpUnreachable: () => (waits ? 'wait' : 'server_away'),
    })
    const port = await relay.listen()
    this.#closers.push(() => relay.close())
    const url = (server = 'docs', of = part) => relay.mcpUrl(of, server, port)
    return {
      ...{ name, part, url },
      ask: (
        message,
        { server, method = message === null ? 'GET' : 'POST', headers = {}, signal, part: of, body } = {},
      ) => ask(url(server, of), method, body ?? (message && JSON.stringify(message)), headers, signal),
      end: () => {
        active = null
        this.#runs.delete(name)
        this.proxy.revokeMcp(name)
      },
    }
  }

  async close(): Promise<void> {
    await this.proxy.close()
    await Promise.all(this.#closers.map((close) => close()))
  }

  #grant(name: McpRunName): EnvVars {
    const { servers = { docs: {} }, handlers } = this.#options
    const addresses = Object.fromEntries(
      Object.entries(servers).map(([server, more]) => [server, { url: `${this.operatorUrl}/mcp`, ...more }]),
    )
    const counterOf = (server: string) => ({
      count: () => {
        const counted = `${name.key.id}/${server}`
        this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1)
        return this.#counts.get(counted) ?? 0
      },
    })
    const { token, url } = this.proxy.grantMcp(name, () => ({ ...urlServers(addresses, counterOf), ...handlers }))
    return { BRIDLE_MCP_URL: url, BRIDLE_MCP_TOKEN: token }
  }
}

const ask = async (
  url: string,
  method: string,
  body: string | null,
  headers: { readonly [name: string]: string },
  signal?: AbortSignal,
): Promise<McpAnswer> => {
  const response = await fetch(url, {
    ...{ method, headers: { accept: 'application/json, text/event-stream', ...headers } },
    ...(body !== null && { body }),
    ...(signal && { signal }),
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const { status } = response
  if (!isStream) {
    const said = await response.text()
    return { status, headers: response.headers, text: said, messages: said === '' ? [] : [JSON.parse(said)] }
  }
  const messages: McpMessage[] = []
  for await (const { data } of readSseEvents(response.body as unknown as AsyncIterable<Uint8Array>))
    messages.push(JSON.parse(data) as McpMessage)
  return { status, headers: response.headers, text: JSON.stringify(messages), messages }
}

let lastId = 0
export const request = (method: string, params: object = {}, id: string | number = ++lastId) => ({
  ...{ jsonrpc: '2.0', id, method, params },
})
export const toolCall = (name: string, input: object = {}) => request('tools/call', { name, arguments: input })
/** An answer as a stream of events. */
export const eventReply =
  (...messages: ((got: ReceivedRequest) => object)[]): OperatorReply =>
  (got, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const message of messages) response.write(`event: message\ndata: ${JSON.stringify(message(got))}\n\n`)
    response.end()
  }
