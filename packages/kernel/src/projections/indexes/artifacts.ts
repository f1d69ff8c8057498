// Artifacts, as a cold fold: sequence numbers and small labels. Payloads and older artifacts are read from the log on request.

import { ARTIFACTS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import type { Event } from '../../event.ts'
import type { Projection } from '../projection.ts'

/** The kind of an artifact with the audio of a turn or of an answer. */
export const SPOKEN_AUDIO = 'spoken_audio'

export interface Artifacts {
  readonly count: number
  /** Oldest first. */
  readonly latest: readonly Artifact[]
}

export interface Artifact {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly contentType: string
  readonly size: number
  /** The chunks are the events from `firstChunkSeq` to `seq - 1`. */
  readonly firstChunkSeq: number
  readonly seq: number
  readonly at: number
  /** The chunks are bytes as base64; absent = they are text. */
  readonly encoding?: 'base64'
  readonly speech?: ArtifactSpeech
}

/** The place of spoken audio in the conversation. */
export interface ArtifactSpeech {
  readonly role: 'user' | 'assistant'
  readonly runId: string
  readonly messageId: string
  readonly audioMs: number
  /** The audio was longer than an artifact may be. */
  readonly isCut?: true
}

export const artifacts: Projection<Artifacts> = {
  initial: { count: 0, latest: [] },
  on: {
    artifact_published: (state, event) => ({
      count: state.count + 1,
      latest: [...state.latest.slice(1 - ARTIFACTS_MAX), artifactOf(event)],
    }),
  },
}

export const artifactOf = ({ seq, at, run, payload }: Event<'artifact_published'>): Artifact => ({
  id: payload.artifact_id,
  name: payload.name,
  kind: payload.kind ?? 'file',
  contentType: payload.content_type,
  size: payload.size,
  firstChunkSeq: seq - payload.chunks,
  seq,
  at,
  ...(payload.encoding && { encoding: payload.encoding }),
  ...(payload.audio && { speech: speechOf(payload.audio, run, payload.message_id) }),
})

const speechOf = (
  { role, ms, cut }: NonNullable<Payloads['artifact_published']['audio']>,
  runId = '',
  messageId = '',
): ArtifactSpeech => ({ role, runId, messageId, audioMs: ms, ...(cut && { isCut: true }) })
