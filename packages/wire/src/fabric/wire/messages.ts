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
    /** Edited arguments. Absent: as requested. */
    args: v.optional(jsonObject),
    /** Answers to questions, or form values. Absent: their default. */
    answers: v.optional(questionAnswers),
    values: v.optional(jsonObject),
    /** Answer the call, but pause the session before its next step. */
    pause: v.optional(v.boolean()),
    actor: v.optional(v.string()),
    commandId: optionalId,
  }),
  messageObject({
    type: v.literal('signal'),
    /** The name that the run waits for. */
    name: requiredId,
    /** Absent: null. */
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

/** The server acknowledges each command. A command with a `commandId` takes effect at most once. */
export type FabricCommand = v.InferInput<typeof commandSchema>

/** A message from a client. `seen` acknowledges a mark: the client has received everything up to it. */
export type FabricClientMessage = FabricCommand | v.InferInput<typeof signalSchema>

/** A message from the server. */
export type FabricServerMessage =
  | { readonly type: 'event'; readonly event: FabricEvent }
  /** Sent once, at the end of the replay. `cursor` is the position to resume from, even if the replay was empty. */
  | { readonly type: 'replay-end'; readonly cursor?: string }
  /** Sent at every heartbeat, and in reply to a ping with the ping's `ts`. */
  | { readonly type: 'pong'; readonly ts: number }
  /** Sent only with `?marks=1`. The client replies with `seen`. */
  | { readonly type: 'mark'; readonly seq: number }
  | FabricAck
  | { readonly type: 'error'; readonly message: string }

/** Acknowledges a command. */
export interface FabricAck {
  /** Message type. */
  readonly type: 'ack'
  /** Type of the acknowledged command. */
  readonly for: FabricCommand['type']
  /** True if the command took effect. */
  readonly ok: boolean
  /** Why it did not. */
  readonly message?: string
  /** The command's id. */
  readonly commandId?: string
}
