// Types only, so that clients need no schema library. Not `readonly`, so that values fit the transport document's types.

import type { Json } from '@bridle/events/json'
import type { DeltaOperation } from '@bridle/kernel/delta'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { HarnessCommand } from './wire/commands.ts'

export type { HarnessCommand }

/** A message from a client to the server. */
export type ClientMessage =
  | { type: 'commands'; commands: HarnessCommand[] }
  | { type: 'ping'; ts?: number }
  /** Acknowledges a mark. */
  | { type: 'seen'; seq: number }

/** Servers that implement only the bare document send no `seq`, `prev`, `ack`, `pong` or `mark`. */
export type ServerMessage =
  /** `incarnation` identifies the log. Absent: the first. Resume with `?after=<seq>~<incarnation>`. */
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
  /** Sent only with `?marks=1`. The client replies with `seen`. */
  | { type: 'mark'; seq: number }
