// The fixture server behind an address, as streamable HTTP: a session for each connection, answers as event streams.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type FixtureMode, FixtureServer, type RpcMessage } from './fixture-server.suite.ts'

export interface HttpFixture extends AsyncDisposable {
  readonly url: string
  /** The connections that have been made, in their order. */
  readonly sessions: ReadonlyMap<string, FixtureServer>
  readonly requests: readonly { readonly method: string; readonly headers: IncomingMessage['headers'] }[]
  /** Forgets all sessions, as a server that was started again. */
  forget(): void
}

export const startHttpFixture = async (mode: FixtureMode = 'good'): Promise<HttpFixture> => {
  const sessions = new Map<string, FixtureServer>()
  const living = new Set<string>()
  const requests: { method: string; headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request, response) => void serve(request, response))
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { method = '', headers } = request
    requests.push({ method, headers })
    const id = headers['mcp-session-id'] as string | undefined
    if (method === 'DELETE') {
      living.delete(id ?? '')
      return response.writeHead(200).end()
    }
    if (method !== 'POST') return response.writeHead(405).end()
    const message = JSON.parse(await text(request)) as RpcMessage
    const isFirst = message.method === 'initialize' || message.method === 'server/discover'
    // The handshake of 2026 has no sessions.
    const session = isFirst
      ? `session-${sessions.size + 1}`
      : (id ?? (mode === 'modern' ? `session-${sessions.size}` : ''))
    if (isFirst) {
      sessions.set(session, new FixtureServer(mode))
      living.add(session)
    }
    const fixture = living.has(session) ? sessions.get(session) : undefined
    if (!fixture) return response.writeHead(404).end()
    const isRequest = message.method !== undefined && message.id !== undefined
    if (!isRequest) {
      fixture.take(message, { send: () => {}, raw: () => {}, die: () => {} })
      return response.writeHead(202).end()
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      ...(mode !== 'modern' && { 'mcp-session-id': session }),
    })
    response.flushHeaders()
    return fixture.take(message, {
      send: (answer) => {
        response.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
        if ('result' in answer || 'error' in answer) response.end()
      },
      raw: (raw) => response.write(`data: ${raw.trim()}\n\n`),
      die: () => response.socket?.destroy(),
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    sessions,
    requests,
    forget: () => living.clear(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
