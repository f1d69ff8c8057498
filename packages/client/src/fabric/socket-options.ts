// The options and the handle of `connectFabricWs`.
import type { FabricAck, FabricClientMessage, FabricEvent } from '@bridle/wire/fabric/wire'
import type { FabricError } from '../http/error.ts'

/** Settings of `connectFabricWs`, and what it calls. */
export interface FabricWsOptions {
  /** `ws://host/sessions/<id>/ws`. */
  readonly url: string
  /** The token of the server. It buys a one-use ticket for each connection, so the token is in no URL. */
  readonly authToken?: string | undefined
  /** The tenant, where a server has several. */
  readonly tenantId?: string | undefined
  /** The number of earlier events to begin with; default none. */
  readonly replay?: number
  /** Only events after this one: `ev-12` or `12`. Replaces `replay`. */
  readonly after?: string | number
  /** Gets each event, once and in order. */
  readonly onEvent: (event: FabricEvent) => void
  /** Called once: every event from now on is live. */
  readonly onReplayEnd?: () => void
  /** Gets the answer to each command. */
  readonly onAck?: (ack: FabricAck) => void
  /** Includes each failed try to connect, with the reason. The socket tries again unless `onClose` follows. */
  readonly onError?: (error: FabricError) => void
  /** The end: `close` was called, or the server refuses a reconnect. */
  readonly onClose?: (why: { readonly code: number; readonly reason: string }) => void
  /** Default true: 250 ms after the connection broke, doubled up to 10 s. */
  readonly reconnect?: boolean | { readonly firstMs: number; readonly longestMs: number }
  /** Time between pings; default 15 s. A connection without a message for three times as long is dead. */
  readonly heartbeatMs?: number
  /** Replaces the platform's WebSocket. */
  readonly WebSocket?: new (
    url: string,
    protocols?: string[],
  ) => WebSocket
}

/** A socket to one session, as `connectFabricWs` opens it. */
export interface FabricWsHandle {
  /**
   * Before the first connection a message waits. Afterwards a cancel or approve without a connection fails with `onError` and is
   * never sent later: it could hit another run.
   */
  send(message: FabricClientMessage): void
  /** Closes the socket for good. */
  close(): void
  /** The state of the socket. */
  readonly state: 'connecting' | 'open' | 'closed'
}
