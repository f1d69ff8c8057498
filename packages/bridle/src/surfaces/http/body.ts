// A request's JSON body: bounded in size and depth, and parsed once.
import type { Context } from 'hono'
import type { JsonObject } from '../../kernel/json.ts'
import { badRequest, failure } from './errors.ts'

export const BODY_BYTES_MAX = 8 * 1024 * 1024
/** JSON.parse takes any depth, but what walks the value later would overflow the stack. */
const DEPTH_MAX = 100

/** The body as an object; an empty body is `{}`. Anything else is already an answer. */
export const readBody = async (c: Context): Promise<JsonObject | Response> => {
  const bytes = await readBytes(c.req.raw)
  if (bytes === null) return failure(c, 'body_too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`)
  if (bytes.byteLength === 0) return {}
  let value: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (depth(text) > DEPTH_MAX) return badRequest(c, `The JSON is nested deeper than ${DEPTH_MAX} levels.`)
    value = JSON.parse(text)
  } catch {
    return badRequest(c, 'The body is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return badRequest(c, 'The body is not a JSON object.')
  return value as JsonObject
}

/** Null when there is too much. The rest is read and dropped, so that the client gets to read the answer. */
const readBytes = async (request: Request): Promise<Uint8Array | null> => {
  if (!request.body) return new Uint8Array()
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > BODY_BYTES_MAX) parts.length = 0
    else parts.push(part)
    if (size > 4 * BODY_BYTES_MAX) break
  }
  if (size > BODY_BYTES_MAX) return null
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}

const depth = (text: string): number => {
  let deepest = 0
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++open)
    else if (unit === 0x7d || unit === 0x5d) open--
  }
  return deepest
}

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}
