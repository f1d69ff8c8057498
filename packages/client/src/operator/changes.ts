// The changes of a tenant's sessions and approvals over one WebSocket, in a browser or in Node. A socket does not count among
// the few HTTP connections that a browser opens to one server.
import type { ChangesClientMessage, ChangesSignal, TenantChange } from '@bridle/wire/changes/wire'
import type { FabricWsOptions } from '../fabric/socket-options.ts'
import { FabricError } from '../http/error.ts'
import { finalRefusal, httpOf, socketEndpoint } from '../socket/endpoint.ts'
import { parseTyped } from '../socket/messages.ts'
import { onReconnectHint } from '../socket/reconnect-hints.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'

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

/** The socket below the server's address, which may have a path. */
const changesUrl = (server: string): string => {
  const url = httpOf(server.endsWith('/') ? server : `${server}/`)
  return new URL('changes/ws', url).href.replace(/^http/, 'ws')
}

/** Settings of `connectChanges`, and what it calls. */
export interface ChangesOptions extends Pick<FabricWsOptions, 'authToken' | 'tenantId' | 'heartbeatMs' | 'WebSocket'> {
  /** The server's address: `http://127.0.0.1:4317`, with a path if the server has one. */
  readonly url: string
  /**
   * Gets each change. `ready` comes first, and again after every gap: load the lists then. A change that arrives before a list may
   * be newer than the list: the later `lastEventId` wins.
   */
  readonly onChange: (change: TenantChange) => void
  /** Called whenever the phase changes, and before each wait for another try. */
  readonly onPhase?: (phase: ChangesPhase, detail: ChangesPhaseDetail) => void
  /** Default: 250 ms after the connection broke, doubled up to 10 s. */
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number }
}

/** The phase of the connection: `open` begins with the first `ready`; `closed` is final. */
export type ChangesPhase = 'connecting' | 'open' | 'reconnecting' | 'closed'

/** More about a phase. */
export interface ChangesPhaseDetail {
  /** Tries since the last open connection. */
  readonly attempt: number
  /** The time of the next try, in ms since 1970; absent: no try is planned. */
  readonly nextTryAt?: number
  /** The reason of the last failure; absent: none is known. */
  readonly error?: FabricError
}

/** A connection to the changes of a tenant, as `connectChanges` opens it. */
export interface ChangesHandle {
  /** The phase of the connection. */
  readonly phase: ChangesPhase
  /** Ends the wait before the next try. */
  retryNow(): void
  /** Closes the connection for good. */
  close(): void
}
