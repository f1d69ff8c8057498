import type { PromptAnswer } from '@bridle/kernel/commands'
import * as v from 'valibot'
import { artifactSchema } from '../../http/wire/artifacts.ts'
import * as f from '../../http/wire/fields.ts'
import { sessionCardSchema, sessionDetailSchema } from '../../http/wire/session.ts'

const backgroundArtifactSchema = f.extendedAnswer(
  'BackgroundArtifact',
  'An artifact of a background session below this one.',
  [artifactSchema],
  { session_id: f.text('The id of the background session.') },
)
export type BackgroundArtifact = f.AnswerOf<typeof backgroundArtifactSchema>

export const chatSessionSchema = f.extendedAnswer(
  'ChatSession',
  'A chat session, with everything that a page about it shows.',
  [sessionDetailSchema],
  {
    background_artifacts: f.list(
      backgroundArtifactSchema,
      'The artifacts of the background sessions that this one started.',
    ),
  },
)
export type ChatSession = f.AnswerOf<typeof chatSessionSchema>

/** Plain text in /openapi.json, which must not expose internal event names such as `steered`. */
const delivery = f.described(
  v.string() as v.GenericSchema<PromptAnswer['delivery']>,
  'How the prompt was taken: at once, into the queue, or into the run in progress.',
)
const parent = f.object(
  {
    agent: f.text('The agent of the session.'),
    id: f.text('The id of the session.'),
    seq: f.count('The number of the event.'),
  },
  'The session and the event that the new session continues from.',
)

export const turnReceiptSchema = f.extendedAnswer('TurnReceipt', 'A prompt was accepted.', [sessionCardSchema], {
  turn_id: f.text('The turn.'),
  run_id: f.text('The run: the same as `turn_id`.'),
  message_id: f.nullableText('The message of the prompt; null = none.'),
  delivery: f.nullable(delivery),
  after: f.text('The stream of the turn begins behind this event.'),
})
export type TurnReceipt = f.AnswerOf<typeof turnReceiptSchema>

export const backgroundReceiptSchema = f.extendedAnswer(
  'BackgroundReceipt',
  'Background work was accepted.',
  [sessionCardSchema],
  {
    run_id: f.nullableText('The run; null = the prompt waits in the queue.'),
    messageId: f.text('The message of the prompt.'),
    delivery,
  },
)
export type BackgroundReceipt = f.AnswerOf<typeof backgroundReceiptSchema>

export const pauseReceiptSchema = f.extendedAnswer(
  'PauseReceipt',
  'A session was paused or resumed.',
  [sessionCardSchema],
  { paused: f.flag('True where the session is paused now.') },
)
export type PauseReceipt = f.AnswerOf<typeof pauseReceiptSchema>

export const branchReceiptSchema = f.extendedAnswer(
  'BranchReceipt',
  'A session was branched; with a prompt, the new session runs.',
  [sessionCardSchema],
  {
    parent,
    messageId: f.optional(f.text('The message of the prompt, where one was sent.')),
    delivery: f.optional(delivery),
  },
)
export type BranchReceipt = f.AnswerOf<typeof branchReceiptSchema>

export const replayReceiptSchema = f.extendedAnswer(
  'ReplayReceipt',
  'The prompts of a session are asked again in a branch.',
  [sessionCardSchema],
  { parent, prompts: f.count('The number of the prompts.') },
)
export type ReplayReceipt = f.AnswerOf<typeof replayReceiptSchema>
