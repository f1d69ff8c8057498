// The options and the handle of `connectChanges`.
import type { TenantChange } from '../../surfaces/changes/wire.ts'
import type { FabricError } from '../fabric/error.ts'

/** Settings of `connectChanges`, and what it calls. */
export interface ChangesOptions {
  /** The server's address: `http://127.0.0.1:4317`, with a path if the server has one. */
  readonly url: string
  /** The token of the server. It buys a one-use ticket for each connection, so the token is in no URL. */
  readonly authToken?: string | undefined
  /** The tenant, where a server has several. */
  readonly tenantId?: string | undefined
  /**
   * Gets each change. `ready` comes first, and again after every gap: load the lists then. A change that arrives before a list may
   * be newer than the list: the later `lastEventId` wins.
   */
  readonly onChange: (change: TenantChange) => void
  /** Called whenever the phase changes, and before each wait for another try. */
  readonly onPhase?: (phase: ChangesPhase, detail: ChangesPhaseDetail) => void
  /** Default: 250 ms after the connection broke, doubled up to 10 s. */
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number }
  /** Time between pings; default 15 s. A connection without a message for three times as long is dead. */
  readonly heartbeatMs?: number
  /** Replaces the platform's WebSocket. */
  readonly WebSocket?: new (
    url: string,
    protocols?: string[],
  ) => WebSocket
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
