// Bodies that a parser of the app has read already, such as `express.json()`: the connection has them no more.
import type { IncomingMessage } from 'node:http'

interface ParsedRequest extends IncomingMessage {
  /** The value that a parser made of the body. */
  body?: unknown
  /** The bytes that the listener takes for the body. */
  rawBody?: Buffer
}

/** Gives a body that was read its bytes back. False = nobody knows them. */
export const restoreBody = (incoming: ParsedRequest): boolean => {
  const { body, headers, method = 'GET' } = incoming
  if (!incoming.readableDidRead || incoming.rawBody || method === 'GET' || method === 'HEAD') return true
  if (headers['content-length'] === '0' || (headers['content-length'] ?? headers['transfer-encoding']) === undefined)
    return true
  const bytes = bytesOf(body, headers['content-type'])
  if (bytes === null) return false
  incoming.rawBody = bytes
  return true
}

const bytesOf = (body: unknown, type = ''): Buffer | null => {
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  return body !== undefined && /\bjson\b/i.test(type) ? Buffer.from(JSON.stringify(body)) : null
}
