import type { FabricAck, FabricClientMessage, FabricEvent } from '@bridle/wire/fabric/wire'
import type { FabricError } from '../http/error.ts'

/** Options of `connectFabricWs`. */
export interface FabricWsOptions {
  /** `ws://host/sessions/<id>/ws`. */
  readonly url: string
  /** The server's token. Exchanged for a single-use ticket per connection, so that no URL contains it. */
  readonly authToken?: string | undefined
  /** The tenant, on a server with several. */
  readonly tenantId?: string | undefined
  /** Number of earlier events to replay. Default: none. */
  readonly replay?: number
  /** Starts after this event: `ev-12` or `12`. Overrides `replay`. */
  readonly after?: string | number
  /** Called once per event, in order. */
  readonly onEvent: (event: FabricEvent) => void
  /** Called once, when the replay is complete. */
  readonly onReplayEnd?: () => void
  /** Called with the response to each command. */
  readonly onAck?: (ack: FabricAck) => void
  /** Also called for every failed connection attempt. The socket retries unless `onClose` follows. */
  readonly onError?: (error: FabricError) => void
  /** Called after `close`, or when the server refuses a reconnect. */
  readonly onClose?: (why: { readonly code: number; readonly reason: string }) => void
  /** Exponential backoff. Default: 250 ms, doubled up to 10 s. */
  readonly reconnect?: boolean | { readonly firstMs: number; readonly longestMs: number }
  /** Interval of pings. Default: 15 s. Reconnects after three intervals of silence. */
  readonly heartbeatMs?: number
  /** Replaces the platform's WebSocket. */
  readonly WebSocket?: new (
    url: string,
    protocols?: string[],
  ) => WebSocket
}

/** A socket to one session, opened by `connectFabricWs`. */
export interface FabricWsHandle {
  /**
   * Queued before the first connection. Later, a cancel or approve while disconnected fails with `onError` and is never
   * sent, because it could hit another run.
   */
  send(message: FabricClientMessage): void
  /** Closes the socket without reconnecting. */
  close(): void
  /** Connection state. */
  readonly state: 'connecting' | 'open' | 'closed'
}
