// A request's JSON body: bounded in size and depth, and parsed once.
import type { JsonObject } from '../../kernel/json.ts'
import { badRequest, failure } from './errors.ts'
import { parseJson } from './json-text.ts'

export const BODY_BYTES_MAX = 8 * 1024 * 1024
/** How much of a body that is too large is read and dropped, so that its sender gets to read the answer. */
const DRAIN_FACTOR = 8

/** The body as an object; an empty body is `{}`. Anything else is already an answer. */
export const readBody = async (request: Request, bytesMax = BODY_BYTES_MAX): Promise<JsonObject | Response> => {
  const bytes = await readBytes(request, bytesMax)
  if (bytes === null) return failure('body_too_large', `The body is larger than ${bytesMax} bytes.`)
  return bytes.byteLength === 0 ? {} : parseObject(bytes)
}

const parseObject = (bytes: Uint8Array): JsonObject | Response => {
  const text = textOf(bytes)
  if (text === null) return badRequest('The body is not JSON.')
  const parsed = parseJson(text, 'body')
  if ('problem' in parsed) return badRequest(parsed.problem)
  const { value } = parsed
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  return badRequest('The body is not a JSON object.')
}

/** Null when it is not UTF-8. */
const textOf = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
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
