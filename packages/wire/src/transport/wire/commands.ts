// Fields are not `readonly`, so that values are assignable to the transport document's types.
import * as v from 'valibot'
import { anyJson, jsonObject, optionalId, questionAnswers, requiredId } from '../../http/wire/request-values.ts'

const text = v.string()
const attachments = v.optional(v.array(v.object({ ref_id: text })))
export const commandSchema = v.variant('type', [
  v.object({
    type: v.literal('submit'),
    commandId: optionalId,
    prompt: text,
    attachments,
    /** The model and the effort of this turn, where the agent is one of an engine. */
    model: v.optional(text),
    effort: v.optional(text),
  }),
  v.object({
    type: v.literal('cancel'),
    commandId: optionalId,
    runId: v.optional(text),
    queue: v.optional(v.boolean()),
    reason: v.optional(text),
  }),
  v.object({ type: v.literal('steer'), commandId: optionalId, prompt: text, attachments }),
  v.object({ type: v.literal('edit'), commandId: optionalId, messageId: text, prompt: text, attachments }),
  v.object({ type: v.literal('reload'), commandId: optionalId, messageId: v.optional(text) }),
  v.object({
    type: v.literal('approve'),
    commandId: optionalId,
    approvalId: text,
    decision: v.picklist(['approved', 'denied']),
    args: v.optional(jsonObject),
    /** Answers to questions, or form values. Absent: their default. */
    answers: v.optional(questionAnswers),
    values: v.optional(jsonObject),
    reason: v.optional(text),
    /** Answer the call, but pause the session before its next step. */
    pause: v.optional(v.boolean()),
  }),
  v.object({
    type: v.literal('branch'),
    commandId: optionalId,
    seq: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    fromEventId: v.optional(v.pipe(text, v.regex(/^(ev-)?\d{1,15}(~\d{1,9})?$/, 'Expected an event id'))),
    messageId: v.optional(text),
  }),
  v.object({ type: v.literal('pause'), commandId: optionalId }),
  v.object({ type: v.literal('resume'), commandId: optionalId }),
  v.object({ type: v.literal('signal'), commandId: optionalId, name: requiredId, payload: anyJson }),
])

/** A client's command to its session. With a `commandId`, a repeated command takes effect once. */
export type HarnessCommand = v.InferInput<typeof commandSchema>
export type ParsedCommand = v.InferOutput<typeof commandSchema>
