import * as v from 'valibot'
import * as f from './fields.ts'

const participantSchema = f.answer('ChannelParticipant', 'A participant of a session.', {
  participant_id: f.text('The id, which envelopes name as their sender or recipient.'),
  kind: f.oneOf(['runtime', 'agent', 'operator', 'tool'], 'The kind of the participant.'),
  name: f.text('The name, for people.'),
})
export type ChannelParticipant = f.AnswerOf<typeof participantSchema>

const envelopeSchema = f.answer(
  'ChannelEnvelope',
  'An event of a session as an envelope from one participant to others.',
  {
    event_id: f.text('The id of the event.'),
    seq: f.count('The number of the event.'),
    timestamp: f.time('The time, in ISO 8601.'),
    sender_id: f.text('The participant that the event comes from.'),
    recipient_ids: f.list(v.string(), 'The participants that the event is for.'),
    event_type: f.text('The type of the event.'),
    summary: f.text('A line for people.'),
    payload: f.anyJson('The content of the event.'),
  },
)
export type ChannelEnvelope = f.AnswerOf<typeof envelopeSchema>

const envelopes = f.list(envelopeSchema, 'The envelopes, oldest first.')

export const channelSchema = f.answer(
  'SessionChannel',
  'The participants of a session, and its newest events as envelopes from one participant to others.',
  {
    channel_id: f.text('The id of the channel.'),
    participants: f.list(participantSchema, 'The participants.'),
    envelopes,
    next: f.optional(f.text('Pass it as `before` to `GET /sessions/:id/channel` for the envelopes before these.')),
  },
)
export type SessionChannel = f.AnswerOf<typeof channelSchema>

export const channelPageSchema = f.answer('ChannelPage', 'A page of the envelopes of a session.', {
  envelopes,
  next: f.optional(f.text('Pass it as `before` for the page before this one.')),
})
export type ChannelPage = f.AnswerOf<typeof channelPageSchema>
