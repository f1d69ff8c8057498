// The changes of a tenant's sessions and approvals over one WebSocket, in a browser or in Node. A socket does not count among
// the few HTTP connections that a browser opens to one server.
import type { ChangesClientMessage, ChangesSignal, TenantChange } from '../../surfaces/changes/wire.ts'
import { FabricError } from '../fabric/error.ts'
import { finalRefusal, httpOf, socketEndpoint } from '../socket/endpoint.ts'
import { onReconnectHint } from '../socket/reconnect-hints.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'
import type { ChangesHandle, ChangesOptions, ChangesPhase } from './changes-options.ts'

/** Connects at once, and reconnects whenever the connection breaks, until `close`. Each connection begins with `ready`. */
export const connectChanges = (options: ChangesOptions): ChangesHandle => {
  const credentials = { ...options, url: changesUrl(options.url) }
  let phase: ChangesPhase = 'connecting'
  let wasReady = false
  let failure: FabricError | undefined
  const report = (next: ChangesPhase, more: { readonly attempt: number; readonly nextTryAt?: number }): void => {
    phase = next
    options.onPhase?.(next, { ...more, ...(failure && { error: failure }) })
  }
  const receive = (message: TenantChange | ChangesSignal): void => {
    if (message.type === 'pong' || message.type === 'error') return
    if (message.type === 'mark') return send({ type: 'seen', seq: message.seq })
    if (message.type === 'ready') {
      socket.markHealthy()
      wasReady = true
      failure = undefined
      if (phase !== 'open') report('open', { attempt: 0 })
    }
    options.onChange(message)
  }
  const socket = new ReconnectingSocket({
    endpoint: () => socketEndpoint(credentials, { replay: 0, after: null }),
    findRefusal: () => finalRefusal(credentials),
    WebSocket: options.WebSocket,
    backoff: options.backoff ?? DEFAULT_RECONNECT_BACKOFF,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    ping: () => PING_TEXT,
    onMessage: (data) => {
      const message = parseChange(data)
      if (message) receive(message)
    },
    onError: (error) => {
      failure = error
    },
    onWait: (waitMs, attempt) =>
      report(wasReady ? 'reconnecting' : 'connecting', { attempt, nextTryAt: Date.now() + waitMs }),
    onEnd: (code, reason) => {
      stopWaking()
      if (code !== 1000) failure ??= new FabricError(0, 'closed', reason || `The server closed the stream (${code}).`)
      report('closed', { attempt: 0 })
    },
  })
  const send = (message: ChangesClientMessage): void => socket.send(JSON.stringify(message))
  const stopWaking = onReconnectHint(() => socket.retryNow())
  return {
    get phase() {
      return phase
    },
    retryNow: () => socket.retryNow(),
    close: () => socket.close(),
  }
}

/** The socket below the server's address, which may have a path. */
const changesUrl = (server: string): string => {
  const url = httpOf(server.endsWith('/') ? server : `${server}/`)
  return new URL('changes/ws', url).href.replace(/^http/, 'ws')
}

/** Null = not a message. A later version of a server may send types that this client does not know: they are passed on. */
const parseChange = (data: unknown): TenantChange | ChangesSignal | null => {
  try {
    const value: unknown = JSON.parse(String(data))
    return typeof value === 'object' && value !== null && 'type' in value ? (value as TenantChange) : null
  } catch {
    return null
  }
}
