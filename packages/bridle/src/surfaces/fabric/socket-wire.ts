// The messages of the Fabric WebSocket, as JSON text, one message per frame.
import type { JsonObject } from '../../kernel/json.ts'
import type { FabricEvent } from './wire.ts'

/** What the server sends. */
export type FabricServerMessage =
  | { readonly type: 'event'; readonly event: FabricEvent }
  /** Once, when the replay is through. `cursor` is where it ended, also when it held no event: resume from there. */
  | { readonly type: 'replay-end'; readonly cursor?: string }
  /** Every heartbeat, and in answer to a ping, whose `ts` it returns. */
  | { readonly type: 'pong'; readonly ts: number }
  /** Only to whom asked for marks: to be answered by `seen`. */
  | { readonly type: 'mark'; readonly seq: number }
  | FabricAck
  | { readonly type: 'error'; readonly message: string }

/** The answer to a command. `commandId` is the one it was sent with. */
export interface FabricAck {
  readonly type: 'ack'
  readonly for: FabricCommand['type']
  readonly ok: boolean
  readonly message?: string
  readonly commandId?: string
}

/** What asks something of the session, and is answered by an ack. With a `commandId` it takes effect at most once. */
export type FabricCommand =
  | {
      readonly type: 'cancel'
      /** A run, running or queued; or the session, which means its current run. */
      readonly taskId: string
      readonly reason?: string | undefined
      readonly commandId?: string | undefined
    }
  | {
      readonly type: 'approve'
      readonly approvalId: string
      readonly decision: 'approved' | 'denied'
      readonly reason?: string | undefined
      /** Edited arguments; absent = as requested. */
      readonly args?: JsonObject | undefined
      readonly actor?: string | undefined
      readonly commandId?: string | undefined
    }

/** What a client sends. */
export type FabricClientMessage =
  | FabricCommand
  | { readonly type: 'ping'; readonly ts?: number | undefined }
  | { readonly type: 'pong'; readonly ts?: number | undefined }
  /** The answer to a mark: everything up to here is there. */
  | { readonly type: 'seen'; readonly seq: number }
