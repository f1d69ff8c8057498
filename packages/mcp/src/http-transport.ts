// The HTTP transport of the client package, with custom headers and bounded responses.

import { McpError } from './errors.ts'
import { MESSAGE_BYTES_MAX } from './limits.ts'
import type { McpClientModule } from './platform.ts'
import type { McpAddress, McpRun } from './server.ts'

type HttpTransport = InstanceType<McpClientModule['StreamableHTTPClientTransport']>

export const httpTransport = (
  client: McpClientModule,
  server: McpAddress,
  run: McpRun | null,
  onfault: (fault: McpError) => void,
): HttpTransport =>
  new client.StreamableHTTPClientTransport(new URL(server.url), {
    fetch: async (url, init) => {
      // Refuse the notification stream, which would stay open forever. Each run lists the tools instead.
      if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
        return new Response(null, { status: 405 })
      const headers = new Headers(init?.headers)
      for (const [name, value] of Object.entries(await headersOf(server, run))) headers.set(name, value)
      const response = await fetch(url, { ...init, headers })
      return response.body === null ? response : bounded(response, response.body, server.name, onfault)
    },
  })

const headersOf = async ({ headers = {} }: McpAddress, run: McpRun | null) =>
  typeof headers === 'function' ? headers(run) : headers

/** Without bounds, the client would wait forever for a broken stream and buffer an endless one. */
const bounded = (
  response: Response,
  body: ReadableStream<Uint8Array>,
  server: string,
  onfault: (fault: McpError) => void,
): Response => {
  const reader = body.getReader()
  let bytes = 0
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        bytes += value.byteLength
        if (bytes > MESSAGE_BYTES_MAX)
          throw new McpError('mcp_flood', server, 'The server sends more than a client takes.')
        controller.enqueue(value)
      } catch (cause) {
        const fault =
          cause instanceof McpError
            ? cause
            : new McpError('mcp_connection_lost', server, 'The connection broke before the answer was there.', {
                cause,
              })
        void reader.cancel(fault).catch(() => {})
        onfault(fault)
        controller.error(fault)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const { status, statusText, headers } = response
  return new Response(stream, { status, statusText, headers })
}
