// A request's JSON body: bounded in size and depth, and parsed once.
import type { JsonObject } from '../../kernel/json.ts'
import { badRequest, failure } from './errors.ts'

export const BODY_BYTES_MAX = 8 * 1024 * 1024
/** JSON.parse takes any depth, but what walks the value later would overflow the stack. */
const DEPTH_MAX = 100
/** How much of a body that is too large is read and dropped, so that its sender gets to read the answer. */
const DRAIN_FACTOR = 8

/** The body as an object; an empty body is `{}`. Anything else is already an answer. */
export const readBody = async (request: Request, bytesMax = BODY_BYTES_MAX): Promise<JsonObject | Response> => {
  const bytes = await readBytes(request, bytesMax)
  if (bytes === null) return failure('body_too_large', `The body is larger than ${bytesMax} bytes.`)
  return bytes.byteLength === 0 ? {} : parseJson(bytes)
}

const parseJson = (bytes: Uint8Array): JsonObject | Response => {
  let value: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (depth(text) > DEPTH_MAX) return badRequest(`The JSON is nested deeper than ${DEPTH_MAX} levels.`)
    value = JSON.parse(text)
  } catch {
    return badRequest('The body is not JSON.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  return badRequest('The body is not a JSON object.')
}

/** Null when there is too much. */
const readBytes = async (request: Request, bytesMax: number): Promise<Uint8Array | null> => {
  if (!request.body) return new Uint8Array()
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > bytesMax) parts.length = 0
    else parts.push(part)
    if (size > DRAIN_FACTOR * bytesMax) break
  }
  if (size > bytesMax) return null
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}

/** How deep the brackets go, without building anything. */
export const depth = (text: string): number => {
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
