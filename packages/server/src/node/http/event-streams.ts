// Writes the same bytes to every reader's connection. A response body would cost each reader a stream, and four writes per
// change.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type EventSink, streamSourceOf } from '@bridle/surfaces/http/streams/sse'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Backlog, SlowReader } from '../backlog.ts'
import { waitForDrain } from './drain.ts'

/** With more unsent bytes, the end of the stream would never arrive, so cut the connection. */
const STREAM_END_BYTES_MAX = 256 * 1024

export const sendEventStream = (response: Response, outgoing: ServerResponse, backlog: Backlog): Response => {
  const source = streamSourceOf(response)
  const { socket } = outgoing
  // A pipelined request has no socket until the previous response has ended.
  if (!source || !socket || outgoing.destroyed) return response
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  const leave = source(new ConnectionSink(outgoing, socket, backlog))
  outgoing.on('close', leave)
  return RESPONSE_ALREADY_SENT
}

class ConnectionSink implements EventSink, SlowReader {
  readonly #outgoing: ServerResponse
  readonly #socket: Socket
  readonly #backlog: Backlog

  constructor(outgoing: ServerResponse, socket: Socket, backlog: Backlog) {
    this.#outgoing = outgoing
    this.#socket = socket
    this.#backlog = backlog
  }

  write(text: string): void {
    const bytes = encodeChunk(text, this.#outgoing.chunkedEncoding)
    this.#socket.write(bytes)
    if (this.#socket.writableLength > 0) this.#backlog.addUnsent(this, bytes.length)
  }

  unsentBytes(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength
  }

  /** No final chunk: the session may still write until it notices that the reader is gone. */
  disconnect(): void {
    this.#socket.destroy()
  }

  drained(): Promise<void> {
    return waitForDrain(this.#socket)
  }

  /** Ends the stream after earlier writes, or cuts off a reader that has stopped reading. */
  end(): void {
    if (this.#socket.writableLength > STREAM_END_BYTES_MAX) this.#socket.destroy()
    else this.#outgoing.end()
  }
}

let lastText = ''
let lastChunk = Buffer.alloc(0)
/** Encoded once for all readers. HTTP/1.0, which many proxies speak, has no chunked encoding. */
const encodeChunk = (text: string, chunked: boolean): Buffer => {
  if (!chunked) return Buffer.from(text)
  if (text !== lastText) {
    lastText = text
    lastChunk = Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
  }
  return lastChunk
}
