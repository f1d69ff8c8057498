// A cold fold of sequence numbers and labels. Payloads and older artifacts are read from the log on demand.

import { ARTIFACTS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import type { Event } from '../../event.ts'
import type { Projection } from '../projection.ts'

export const SPOKEN_AUDIO = 'spoken_audio'

export interface Artifacts {
  readonly count: number
  readonly latest: readonly Artifact[]
}

export interface Artifact {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly contentType: string
  readonly size: number
  /** Chunks are the events from `firstChunkSeq` to `seq - 1`. */
  readonly firstChunkSeq: number
  readonly seq: number
  readonly at: number
  /** Chunks are base64. Absent: text. */
  readonly encoding?: 'base64'
  readonly speech?: ArtifactSpeech
}

export interface ArtifactSpeech {
  readonly role: 'user' | 'assistant'
  readonly runId: string
  readonly messageId: string
  readonly audioMs: number
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
