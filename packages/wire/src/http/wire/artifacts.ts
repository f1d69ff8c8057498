import * as v from 'valibot'
import * as f from './fields.ts'

const audioSchema = f.answer('ArtifactAudio', 'Spoken audio that a session keeps.', {
  role: f.oneOf(['user', 'assistant'], '`user`: a prompt. `assistant`: an answer, as far as it was heard.'),
  run_id: f.text('The run.'),
  message_id: f.text('The message with the transcript.'),
  ms: f.count('The length in milliseconds.'),
  cut: f.optional(f.always(true, 'The audio was longer than an artifact may be, and its end is missing.')),
})
export type ArtifactAudio = f.AnswerOf<typeof audioSchema>

export const artifactSchema = f.answer('ArtifactSummary', 'An artifact without its content.', {
  id: f.text("The artifact's id."),
  artifact_id: f.text('The same as `id`.'),
  name: f.text('The name.'),
  kind: f.text('The kind.'),
  artifact_type: f.text('The same as `kind`.'),
  contentType: f.text('The content type.'),
  content_type: f.text('The same as `contentType`.'),
  size: f.count('The size in bytes.'),
  event_id: f.text('The event that published it.'),
  createdAt: f.time('The time of publication, in ISO 8601.'),
  created_at: f.time('The same as `createdAt`.'),
  audio: f.optional(f.reference(audioSchema, 'The place of spoken audio; absent = this is not spoken audio.')),
})
export type ArtifactSummary = f.AnswerOf<typeof artifactSchema>

export const artifactPageSchema = f.answer('ArtifactPage', 'A page of the artifacts of a session.', {
  artifacts: f.list(artifactSchema, 'The artifacts of this page, newest first.'),
  next: f.optional(f.described(v.union([f.wholeNumber, v.string()]), 'Pass it as `before` for the next page.')),
})
export type ArtifactPage = f.AnswerOf<typeof artifactPageSchema>
