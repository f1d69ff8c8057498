// The transport's messages, as docs/protocol/transport.md has them. Types only: clients import this file.
import type { DeltaOperation } from '../../kernel/delta.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { HarnessState } from '../../kernel/projections/harness-state.ts'

export type HarnessCommand = { readonly commandId?: string } & (
  | { readonly type: 'submit'; readonly prompt: string }
  | { readonly type: 'cancel'; readonly runId?: string; readonly queue?: boolean; readonly reason?: string }
  | { readonly type: 'steer'; readonly prompt: string }
  | { readonly type: 'edit'; readonly messageId: string; readonly prompt: string }
  | { readonly type: 'reload'; readonly messageId?: string }
  | {
      readonly type: 'approve'
      readonly approvalId: string
      readonly decision: 'approved' | 'denied'
      readonly args?: JsonObject
      readonly reason?: string
    }
  | { readonly type: 'branch'; readonly seq?: number; readonly fromEventId?: string; readonly messageId?: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
)

export type ClientMessage =
  | { readonly type: 'commands'; readonly commands: readonly HarnessCommand[] }
  | { readonly type: 'ping'; readonly ts?: number }
  /** The answer to a mark. */
  | { readonly type: 'seen'; readonly seq: number }

/** A server that knows only the bare protocol sends no `seq`, `prev`, `ack`, `pong` or `mark`. */
export type ServerMessage =
  | { readonly type: 'state'; readonly state: HarnessState; readonly seq?: number }
  | {
      readonly type: 'delta'
      readonly operations: readonly DeltaOperation[]
      readonly seq?: number
      readonly prev?: number
    }
  | { readonly type: 'error'; readonly message: string; readonly commandId?: string }
  | {
      readonly type: 'ack'
      readonly commandId: string
      readonly ok: boolean
      readonly message?: string
      readonly code?: string
      readonly answer?: { readonly [name: string]: Json }
    }
  | { readonly type: 'pong'; readonly ts: number }
  /** Only to whom asked for marks: to be answered by `seen`. */
  | { readonly type: 'mark'; readonly seq: number }
