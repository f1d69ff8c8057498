// Writes event streams straight to the connection: the same bytes for every reader, in one write each. Through the body of a
// response, each reader would cost a stream, two promises and four writes per change.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type EventSink, streamSourceOf } from '@bridle/surfaces/http/streams/sse'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Backlog, SlowReader } from '../backlog.ts'
import { waitForDrain } from './drain.ts'

/** With more unsent bytes than this the end of an event stream would never arrive, so the connection is cut. */
const STREAM_END_BYTES_MAX = 256 * 1024

/** Sends an event stream itself; returns any other response unchanged. */
export const sendEventStream = (response: Response, outgoing: ServerResponse, backlog: Backlog): Response => {
  const source = streamSourceOf(response)
  const { socket } = outgoing
  // A pipelined request has no socket until the answer before it has ended.
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

  /** Without a last chunk: the session would write more after it, until it notices that the reader is gone. */
  disconnect(): void {
    this.#socket.destroy()
  }

  drained(): Promise<void> {
    return waitForDrain(this.#socket)
  }

  /** Ends the stream after all earlier writes. A reader that does not read is cut instead. */
  end(): void {
    if (this.#socket.writableLength > STREAM_END_BYTES_MAX) this.#socket.destroy()
    else this.#outgoing.end()
  }
}

let lastText = ''
let lastChunk = Buffer.alloc(0)
/** A whole chunk of the body, encoded once for all readers. HTTP/1.0, which many proxies speak, has no chunks. */
const encodeChunk = (text: string, chunked: boolean): Buffer => {
  if (!chunked) return Buffer.from(text)
  if (text !== lastText) {
    lastText = text
    lastChunk = Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
  }
  return lastChunk
}
