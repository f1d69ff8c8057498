// The channel of a session, and a page of its envelopes.
import * as v from 'valibot'
import type { ChannelEnvelope, ChannelPage, ChannelParticipant, SessionChannel } from '../wire.ts'
import { answerSchema, anyJson, count, list, text, time } from './answer-schema.ts'

const envelopeSchema = answerSchema<ChannelEnvelope>('ChannelEnvelope', {
  event_id: text,
  seq: count,
  timestamp: time,
  sender_id: text,
  recipient_ids: list(text),
  event_type: text,
  summary: text,
  payload: anyJson,
})

export const channelSchema = answerSchema<SessionChannel>('SessionChannel', {
  channel_id: text,
  participants: list(
    answerSchema<ChannelParticipant>('ChannelParticipant', {
      participant_id: text,
      kind: v.picklist(['runtime', 'agent', 'operator', 'tool']),
      name: text,
    }),
  ),
  envelopes: list(envelopeSchema),
  next: v.optional(text),
})

export const channelPageSchema = answerSchema<ChannelPage>('ChannelPage', {
  envelopes: list(envelopeSchema),
  next: v.optional(text),
})
