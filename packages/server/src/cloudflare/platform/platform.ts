// The platform's own types would replace the Web API types that the rest of the package shares with Node.
import type { ObjectStorage } from '@bridle/stores/object/object-driver'

export interface RequestContext {
  waitUntil(work: Promise<unknown>): void
}

export interface ObjectContext extends RequestContext {
  readonly id: { readonly name?: string; toString(): string }
  readonly storage: DurableStorage
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>
  acceptWebSocket(socket: PlatformSocket, tags?: string[]): void
  getWebSockets(tag?: string): PlatformSocket[]
  setWebSocketAutoResponse(pair?: unknown): void
  getWebSocketAutoResponseTimestamp(socket: PlatformSocket): Date | null
  abort(reason?: string): void
}

export interface DurableStorage extends ObjectStorage {
  /** Resolves when everything written so far is durable. */
  sync(): Promise<void>
  getAlarm(): Promise<number | null>
  setAlarm(at: number): Promise<void>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

export interface PlatformSocket {
  readonly readyState: number
  accept(): void
  send(text: string | Uint8Array): void
  close(code?: number, reason?: string): void
  serializeAttachment(value: unknown): void
  deserializeAttachment(): unknown
}

interface PlatformGlobals {
  readonly WebSocketPair: new () => { readonly 0: PlatformSocket; readonly 1: PlatformSocket }
  readonly FixedLengthStream: new (bytes: number) => TransformStream<Uint8Array, Uint8Array>
  readonly WebSocketRequestResponsePair: new (request: string, response: string) => unknown
}

export const socketPair = (): { client: PlatformSocket; server: PlatformSocket } => {
  const { 0: client, 1: server } = new (globalThis as unknown as PlatformGlobals).WebSocketPair()
  return { client, server }
}

export const upgradeResponse = (client: PlatformSocket, headers?: Record<string, string>): Response =>
  new Response(null, { status: 101, webSocket: client, ...(headers && { headers }) } as ResponseInit)

/** The platform sends `content-length` for a stream only with a FixedLengthStream. */
export const withContentLength = (response: Response): Response => {
  const length = response.headers.get('content-length')
  if (length === null || !response.body) return response
  const { FixedLengthStream } = globalThis as unknown as PlatformGlobals
  const { readable, writable } = new FixedLengthStream(Number(length))
  response.body.pipeTo(writable).catch(() => {})
  return new Response(readable, { status: response.status, headers: response.headers })
}

export const autoResponse = (request: string, response: string): unknown =>
  new (globalThis as unknown as PlatformGlobals).WebSocketRequestResponsePair(request, response)

/** The headers of a fetched response are immutable, so copy it. */
export const copyOf = (answer: Response): Response => {
  const { webSocket } = answer as { webSocket?: PlatformSocket | null }
  const { status, headers } = answer
  return webSocket
    ? new Response(null, { status, headers, webSocket } as ResponseInit)
    : new Response(answer.body, { status, headers })
}
