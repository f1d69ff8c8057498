// The first bytes that a client of a benchmark sends: clients there are bare sockets.
import { randomBytes } from 'node:crypto'
import type { BenchEndpoint } from './fanout-reply.ts'

/** The request that opens an event stream, or a WebSocket on any other wire. */
export const requestText = ({ wire, path, port }: BenchEndpoint): string => {
  const lines =
    wire === 'sse'
      ? ['accept: text/event-stream']
      : [
          'connection: upgrade',
          'upgrade: websocket',
          'sec-websocket-version: 13',
          `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
        ]
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('\r\n')}\r\n\r\n`
}
