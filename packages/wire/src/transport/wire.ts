// The transport's messages, as in docs/protocol/transport.md. Types only: clients import this file. The fields are not `readonly`,
// so that a value of these types is one of the document's.

import type { Json } from '@bridle/events/json'
import type { DeltaOperation } from '@bridle/kernel/delta'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { HarnessCommand } from './wire/commands.ts'

export type { HarnessCommand }

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
