import { STREAM_EVENT_TYPES, type VisibleEventType } from '@bridle/events/catalogue'
import * as v from 'valibot'
import * as f from '../../http/wire/fields.ts'
import { healthSnapshotSchema } from '../../http/wire/health.ts'
import type { StreamEnvelope } from '../wire.ts'

const positionSchema = f.answer(
  'EnvelopePosition',
  'The position of an event in its session, and what else an envelope says about it.',
  {
    seq: f.count(
      'The number of the event in its session; in the greeting, the number after which the stream continues.',
    ),
    session_id: f.text('The id of the session.'),
    timestamp: f.time('ISO 8601.'),
    turn_id: f.optional(f.text('The turn of the event.')),
    attempt: f.optional(f.count('The number of the try at the turn.')),
    hearsay: f.optional(
      f.always(true, 'An engine reported a fact that only the session decides: show it, and do not act on it.'),
    ),
    custom: f.optional(f.always(true, 'A custom event: the agent chose `type` and `payload`.')),
  },
)
export type EnvelopePosition = f.AnswerOf<typeof positionSchema>

/** `type` is open, because agents name custom events. The type `StreamEnvelope` describes `payload`. */
export const envelopeSchema = f.extendedAnswer(
  'StreamEnvelope',
  '`{ type, payload }` and its position in the log.',
  [positionSchema],
  { type: f.text('The type, which says what `payload` holds.'), payload: f.anyObject('The content of the event.') },
) as unknown as v.GenericSchema<StreamEnvelope>

export const healthEnvelopeSchema = f.answer(
  'HealthEnvelope',
  'A message of the health stream: the whole health of a session, each time it changes.',
  {
    type: f.always('health_snapshot', 'The type of the message.'),
    payload: f.reference(healthSnapshotSchema, 'The health of the session.'),
    seq: f.count('The number of the event that the snapshot includes.'),
    session_id: f.text('The id of the session.'),
    timestamp: f.time('The time, in ISO 8601.'),
  },
)
export type HealthEnvelope = f.AnswerOf<typeof healthEnvelopeSchema>

const eventType: v.GenericSchema<VisibleEventType> = v.picklist(STREAM_EVENT_TYPES)

const streamEventRowSchema = f.answer('StreamEventRow', 'A row of `/stream-events`.', {
  type: f.described(eventType, 'The event type.'),
  tier: f.oneOf(
    ['default', 'debug'],
    'The streams that carry it: `default` is on all, `debug` only on those that ask for it.',
  ),
  persisted: f.flag('True where the event is in the log.'),
  source: f.text('The part of the system that reports the event.'),
  role: f.text('The use that a frontend has for it.'),
})
export type StreamEventRow = f.AnswerOf<typeof streamEventRowSchema>

export const streamEventListSchema = f.answer('StreamEventList', 'Every event that a frontend may meet on a stream.', {
  types: f.list(eventType, 'The event types.'),
  events: f.list(streamEventRowSchema, 'The event types, with what is known of each.'),
})
export type StreamEventList = f.AnswerOf<typeof streamEventListSchema>
