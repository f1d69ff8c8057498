// The transport's messages, as in docs/protocol/transport.md. Types only: clients import this file. The fields are not `readonly`,
// so that a value of these types is one of the document's.
import type { DeltaOperation } from '../../kernel/delta.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { HarnessState } from '../../kernel/projections/harness-state.ts'

/** A command of a client to its session. With a `commandId` it takes effect once, however often it is sent. */
export type HarnessCommand = { commandId?: string | undefined } & (
  | { type: 'submit'; prompt: string; attachments?: { ref_id: string }[] }
  | { type: 'cancel'; runId?: string; queue?: boolean; reason?: string }
  | { type: 'steer'; prompt: string; attachments?: { ref_id: string }[] }
  | { type: 'edit'; messageId: string; prompt: string; attachments?: { ref_id: string }[] }
  | { type: 'reload'; messageId?: string | undefined }
  | {
      type: 'approve'
      approvalId: string
      decision: 'approved' | 'denied'
      args?: JsonObject
      reason?: string
      /** The call gets its answer, and the session pauses before its next step. */
      pause?: boolean
    }
  | { type: 'branch'; seq?: number; fromEventId?: string; messageId?: string }
  | { type: 'pause' }
  | { type: 'resume' }
  | { type: 'signal'; name: string; payload?: Json | undefined }
)

/** A message from a client to the server. */
export type ClientMessage =
  | { type: 'commands'; commands: HarnessCommand[] }
  | { type: 'ping'; ts?: number }
  /** Answers a mark. */
  | { type: 'seen'; seq: number }

/** A server of the bare document sends no `seq`, `prev`, `ack`, `pong` or `mark`. */
export type ServerMessage =
  /** `incarnation` is the log's; absent = the first. Resume with `?after=<seq>~<incarnation>`. */
  | { type: 'state'; state: HarnessState; seq?: number; incarnation?: number }
  | {
      type: 'delta'
      operations: DeltaOperation[]
      seq?: number
      prev?: number
    }
  | { type: 'error'; message: string; commandId?: string }
  | {
      type: 'ack'
      commandId: string
      ok: boolean
      message?: string
      code?: string
      answer?: { [name: string]: Json }
    }
  | { type: 'pong'; ts: number }
  /** Only with `?marks=1`: the client answers with `seen`. */
  | { type: 'mark'; seq: number }
