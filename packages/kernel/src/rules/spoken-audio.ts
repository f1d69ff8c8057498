// Only sessions that ask for it keep audio, regardless of the caller.

import { isJsonObject } from '@bridle/events/json'
import type { Answers, KeepAudioCommand } from '../commands.ts'
import { SPOKEN_AUDIO } from '../projections/indexes/artifacts.ts'
import type { SessionState } from '../projections/state.ts'
import type { DecisionBuilder } from './decision-builder.ts'

/** `settings.voice.keep_audio`, set when the session is created. */
export const keepsAudio = ({ lifecycle: { settings } }: Pick<SessionState, 'lifecycle'>): boolean =>
  isJsonObject(settings.voice) && settings.voice.keep_audio === true

/** Chunks and artifact share one write, so that a crash leaves all or nothing. */
export const keepAudio = (w: DecisionBuilder, command: KeepAudioCommand): Answers['keep_audio'] => {
  const { runId, role, chunks, size, audioMs, isCut } = command
  const message = w.state.conversation.messages.findLast((each) => each.role === role && each.runId === runId)
  // An edit that removed the message removes its audio, too.
  if (!keepsAudio(w.state) || !message) return { artifactId: null }
  const artifactId = `art-${w.nextSeq}`
  const run = { run: runId }
  for (const [index, text] of chunks.entries())
    w.addToOtherRun(run, 'artifact_chunk', { artifact_id: artifactId, index, text, encoding: 'base64' })
  w.addToOtherRun(run, 'artifact_published', {
    artifact_id: artifactId,
    name: `${role === 'user' ? 'turn' : 'answer'}-${message.id}.wav`,
    kind: SPOKEN_AUDIO,
    content_type: 'audio/wav',
    size,
    chunks: chunks.length,
    encoding: 'base64',
    message_id: message.id,
    audio: { role, ms: Math.round(audioMs), ...(isCut && { cut: true as const }) },
  })
  return { artifactId }
}
