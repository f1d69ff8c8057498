// JSON bodies are limited in size and depth, and read once.
import { isJsonObject, type JsonObject } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import { badRequest, Denial, isDenial } from '../denials/denial.ts'
import { parseJson } from './json-text.ts'

/** Above the largest kernel command, but small enough to buffer for many callers. */
const BODY_BYTES_MAX = 8 * 1024 * 1024

/** Buffered, because locating the session may need the body before the handler does. */
export interface RequestBody {
  bytes(): Promise<Uint8Array | Denial>
  /** An empty body is `{}`. */
  object(): Promise<JsonObject | Denial>
  /** Null if not parsed yet. */
  parsed(): JsonObject | null
}

export const createRequestBody = (request: Request, bytesMax = BODY_BYTES_MAX): RequestBody => {
  let reading: Promise<Uint8Array | null> | null = null
  let object: JsonObject | Denial | null = null
  const bytes = async () => {
    const encoding = request.headers.get('content-encoding') ?? 'identity'
    if (encoding.toLowerCase() !== 'identity')
      return new Denial('unsupported_encoding', 'The body has a Content-Encoding. Send it as it is, without one.', {
        'accept-encoding': 'identity',
      })
    reading ??= readBytes(request, bytesMax)
    return (await reading) ?? new Denial('body_too_large', `The body is larger than ${bytesMax} bytes.`)
  }
  return {
    bytes,
    object: async () => {
      const content = await bytes()
      if (isDenial(content)) return content
      object ??= content.byteLength === 0 ? {} : parseObject(content)
      return object
    },
    parsed: () => (isDenial(object) ? null : object),
  }
}

const parseObject = (bytes: Uint8Array): JsonObject | Denial => {
  const text = textOf(bytes)
  if (text === null) return badRequest('The body is not JSON.')
  const parsed = parseJson(text, 'body')
  if ('problem' in parsed) return badRequest(parsed.problem)
  const { value } = parsed
  return isJsonObject(value) ? value : badRequest('The body is not a JSON object.')
}

const textOf = (bytes: Uint8Array): string | null =>
  tryOr(null, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes))

interface IterableBody {
  values(options: { readonly preventCancel: boolean }): AsyncIterable<Uint8Array>
}

/** Null if too large. Stops at the limit, or right away if content-length exceeds it. */
const readBytes = async (request: Request, bytesMax: number): Promise<Uint8Array | null> => {
  if (!request.body) return new Uint8Array()
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return null
  const parts: Uint8Array[] = []
  let size = 0
  // Do not cancel at the limit: a target may have to drain the body so that the sender receives the response.
  for await (const part of (request.body as unknown as IterableBody).values({ preventCancel: true })) {
    size += part.byteLength
    if (size > bytesMax) return null
    parts.push(part)
  }
  return joinedBytes(parts, size)
}

export const joinedBytes = (parts: readonly Uint8Array[], size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}
