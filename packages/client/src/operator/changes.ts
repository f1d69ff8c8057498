// Changes of a tenant's sessions and approvals over one WebSocket, which does not count against the browser's HTTP
// connection limit.
import type { ChangesClientMessage, ChangesSignal, TenantChange } from '@bridle/wire/changes/wire'
import type { FabricWsOptions } from '../fabric/socket-options.ts'
import { FabricError } from '../http/error.ts'
import { finalRefusal, httpOf, socketEndpoint } from '../socket/endpoint.ts'
import { parseTyped } from '../socket/messages.ts'
import { onReconnectHint } from '../socket/reconnect-hints.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'

/** Connects immediately and reconnects until `close`. Every connection starts with `ready`. */
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
      const message = parseTyped<TenantChange | ChangesSignal>(data)
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

const changesUrl = (server: string): string => {
  const url = httpOf(server.endsWith('/') ? server : `${server}/`)
  return new URL('changes/ws', url).href.replace(/^http/, 'ws')
}

/** Options and callbacks of `connectChanges`. */
export interface ChangesOptions extends Pick<FabricWsOptions, 'authToken' | 'tenantId' | 'heartbeatMs' | 'WebSocket'> {
  /** Base URL of the server: `http://127.0.0.1:4317`, with its base path if any. */
  readonly url: string
  /**
   * Called for every change. `ready` comes first and after every gap: reload the lists then. A change that arrives while
   * a list loads may be newer than the list; the higher `lastEventId` wins.
   */
  readonly onChange: (change: TenantChange) => void
  /** Called when the phase changes and before every retry delay. */
  readonly onPhase?: (phase: ChangesPhase, detail: ChangesPhaseDetail) => void
  /** Exponential backoff. Default: 250 ms, doubled up to 10 s. */
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number }
}

/** Connection phase. `open` starts with the first `ready`; `closed` is final. */
export type ChangesPhase = 'connecting' | 'open' | 'reconnecting' | 'closed'

/** Details of a phase. */
export interface ChangesPhaseDetail {
  /** Attempts since the last open connection. */
  readonly attempt: number
  /** Time of the next attempt, in ms since 1970. Absent if none is planned. */
  readonly nextTryAt?: number
  /** The last failure, if known. */
  readonly error?: FabricError
}

/** A connection opened by `connectChanges`. */
export interface ChangesHandle {
  /** The phase of the connection. */
  readonly phase: ChangesPhase
  /** Retries now instead of waiting. */
  retryNow(): void
  /** Closes the connection without reconnecting. */
  close(): void
}
