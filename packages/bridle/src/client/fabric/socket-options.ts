// What `connectFabricWs` takes and gives.
import type { FabricAck, FabricClientMessage, FabricEvent } from '../../surfaces/fabric/wire.ts'
import type { FabricError } from './error.ts'

export interface FabricWsOptions {
  /** `ws://host/sessions/<id>/ws`. */
  readonly url: string
  readonly authToken?: string | undefined
  readonly tenantId?: string | undefined
  /** How many of the last events to hear first; default none. */
  readonly replay?: number
  /** Only what comes after this event: `ev-12` or `12`. Takes the place of `replay`. */
  readonly after?: string | number
  readonly onEvent: (event: FabricEvent) => void
  /** Once, when what comes from now on is live. */
  readonly onReplayEnd?: () => void
  readonly onAck?: (ack: FabricAck) => void
  /** Also each try to connect that failed, with the reason; it goes on trying unless `onClose` follows. */
  readonly onError?: (error: FabricError) => void
  /** It is over: closed here, or by a server that does not want us back. */
  readonly onClose?: (why: { readonly code: number; readonly reason: string }) => void
  /** Default true: 250 ms after a cut, doubled up to 10 s. */
  readonly reconnect?: boolean | { readonly firstMs: number; readonly longestMs: number }
  /** How often to ping; default 15 s. Nothing heard for three times as long is a dead connection. */
  readonly heartbeatMs?: number
  /** In place of the platform's. */
  readonly WebSocket?: new (
    url: string,
    protocols?: string[],
  ) => WebSocket
}

export interface FabricWsHandle {
  /**
   * A message waits for the first opening. Afterwards a cancel or approve that cannot be sent now is refused by `onError`, never
   * sent later.
   */
  send(message: FabricClientMessage): void
  close(): void
  readonly state: 'connecting' | 'open' | 'closed'
}
