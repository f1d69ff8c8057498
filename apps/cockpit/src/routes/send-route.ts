// Sends a request of the page, and reads the answer whatever it is: the clients throw refusals, this page shows them.
import { type FabricClientOptions, type SseMessage, SseReader } from 'bridle/client'
import { prettyText } from '../ui/pretty-text.ts'
import type { RouteRequest } from './route-request.ts'

/** An answer beyond this is cut: the page is for looking, and the address gives all of it. */
const ANSWER_CHARS = 2_000_000

export interface RouteAnswer {
  readonly status: number
  readonly statusText: string
  /** The time until the headers were there. */
  readonly ms: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly contentType: string
  /** Null for bytes that are no text, and for streams. */
  readonly text: string | null
  readonly size: number
  readonly isCut: boolean
}

interface SendOptions {
  readonly signal: AbortSignal
  /** The headers of a stream are shown before its first message. */
  readonly onHead: (answer: RouteAnswer) => void
  readonly onMessage: (message: SseMessage) => void
}

export const sendRoute = async (
  { url, authToken, tenantId }: FabricClientOptions,
  request: RouteRequest,
  { signal, onHead, onMessage }: SendOptions,
): Promise<RouteAnswer> => {
  const startedAt = performance.now()
  const response = await fetch(new URL(request.path, url), {
    method: request.method,
    headers: {
      ...request.headers,
      ...(authToken !== undefined && { authorization: `Bearer ${authToken}` }),
      ...(tenantId !== undefined && { 'x-fabric-tenant': tenantId }),
    },
    body: request.body,
    signal,
  })
  const contentType = response.headers.get('content-type') ?? ''
  const head = {
    status: response.status,
    statusText: response.statusText,
    ms: performance.now() - startedAt,
    headers: [...response.headers],
    contentType,
    text: null,
    size: 0,
    isCut: false,
  }
  onHead(head)
  if (contentType.startsWith('text/event-stream') && response.body) {
    await readStream(response.body, onMessage)
    return head
  }
  const bytes = await response.arrayBuffer()
  if (!/^(?:text\/|application\/(?:json|problem\+json|x-ndjson|xml))/.test(contentType))
    return { ...head, size: bytes.byteLength }
  const text = new TextDecoder().decode(bytes)
  return {
    ...head,
    size: bytes.byteLength,
    text: prettyText(text.slice(0, ANSWER_CHARS)),
    isCut: text.length > ANSWER_CHARS,
  }
}

const readStream = async (
  body: ReadableStream<Uint8Array>,
  onMessage: (message: SseMessage) => void,
): Promise<void> => {
  const sse = new SseReader()
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read())
    for (const message of sse.push(read.value)) onMessage(message)
}
