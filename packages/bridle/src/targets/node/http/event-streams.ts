// Event streams on Node, straight to the connection: the same bytes for every reader, and one write each. By way of the
// response's body, each reader would cost a stream, two promises and four writes per change.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type EventSink, streamSourceOf } from '../../../surfaces/http/streams/sse.ts'
import type { Backlog, SlowReader } from '../backlog.ts'
import { waitForDrain } from '../drain.ts'

/** Sends an event stream itself; any other response goes back as it came. */
export const sendEventStream = (response: Response, outgoing: ServerResponse, backlog: Backlog): Response => {
  const feed = streamSourceOf(response)
  const { socket } = outgoing
  // Behind the unfinished answer to an earlier request of the same connection there is no socket yet.
  if (!feed || !socket || outgoing.destroyed) return response
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  const leave = feed(new ConnectionSink(outgoing, socket, backlog))
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

  /** Not by the last chunk: the session would go on writing behind it until it hears that the reader is gone. */
  disconnect(): void {
    this.#socket.destroy()
  }

  drained(): Promise<void> {
    return waitForDrain(this.#socket)
  }

  /** Everything was written to the same socket before, so the end comes last. One who does not read is not waited for. */
  end(): void {
    if (this.#socket.writableLength > UNREAD_BYTES_MAX) this.#socket.destroy()
    else this.#outgoing.end()
  }
}

/** More than this unsent, and the end would never arrive. */
const UNREAD_BYTES_MAX = 256 * 1024

let lastText = ''
let lastChunk = Buffer.alloc(0)
/** A whole chunk of the body, made once for all readers in turn. An HTTP/1.0 reader, such as many a proxy, knows no chunks. */
const encodeChunk = (text: string, chunked: boolean): Buffer => {
  if (!chunked) return Buffer.from(text)
  if (text !== lastText) {
    lastText = text
    lastChunk = Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
  }
  return lastChunk
}
