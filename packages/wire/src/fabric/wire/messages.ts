// The messages of the WebSocket.
import * as v from 'valibot'
import {
  anyJson,
  jsonObject,
  messageObject,
  optionalId,
  questionAnswers,
  requiredId,
  seenMessageSchema,
} from '../../http/wire/request-values.ts'
import type { FabricEvent } from './events.ts'

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(256))

const commandSchema = v.variant('type', [
  messageObject({
    type: v.literal('cancel'),
    /** A running or queued run, a task, or the session, which means its current run. */
    taskId: name,
    reason: v.optional(v.string()),
    commandId: optionalId,
  }),
  messageObject({
    type: v.literal('approve'),
    approvalId: name,
    decision: v.picklist(['approved', 'denied']),
    reason: v.optional(v.string()),
    /** Edited arguments; absent = as requested. */
    args: v.optional(jsonObject),
    /** The answers to questions, or the values of a form; absent = their default. */
    answers: v.optional(questionAnswers),
    values: v.optional(jsonObject),
    /** The call gets its answer, and the session pauses before its next step. */
    pause: v.optional(v.boolean()),
    actor: v.optional(v.string()),
    commandId: optionalId,
  }),
  messageObject({
    type: v.literal('signal'),
    /** The name that the run waits for. */
    name: requiredId,
    /** Absent = null. */
    payload: anyJson,
    actor: v.optional(v.string()),
    commandId: optionalId,
  }),
])

const signalSchema = v.variant('type', [
  messageObject({ type: v.literal('ping'), ts: v.optional(v.number()) }),
  messageObject({ type: v.literal('pong'), ts: v.optional(v.number()) }),
  seenMessageSchema,
])

export const fabricMessageSchema = v.variant('type', [commandSchema, signalSchema])

/** The server answers each command with an ack. A command with a `commandId` takes effect at most once. */
export type FabricCommand = v.InferInput<typeof commandSchema>

/** A message from a client. `seen` answers a mark: the client has everything up to there. */
export type FabricClientMessage = FabricCommand | v.InferInput<typeof signalSchema>

/** A message from the server. */
export type FabricServerMessage =
  | { readonly type: 'event'; readonly event: FabricEvent }
  /** Once, at the end of the replay. `cursor` is the position to resume from, also when the replay had no event. */
  | { readonly type: 'replay-end'; readonly cursor?: string }
  /** At every heartbeat, and as the answer to a ping, with the ping's `ts`. */
  | { readonly type: 'pong'; readonly ts: number }
  /** Only with `?marks=1`: the client answers with `seen`. */
  | { readonly type: 'mark'; readonly seq: number }
  | FabricAck
  | { readonly type: 'error'; readonly message: string }

/** The answer to a command, with the command's id. */
export interface FabricAck {
  /** The type of the message. */
  readonly type: 'ack'
  /** The type of the command that this answers. */
  readonly for: FabricCommand['type']
  /** True where the command took effect. */
  readonly ok: boolean
  /** The reason where it did not. */
  readonly message?: string
  /** The id that the command was sent with. */
  readonly commandId?: string
}
