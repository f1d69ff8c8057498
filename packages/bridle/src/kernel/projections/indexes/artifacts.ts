// Artifacts, as a cold fold: sequence numbers and small labels. Payloads and older artifacts are read from the log on request.
import type { Event } from '../../event.ts'
import { ARTIFACTS_MAX } from '../../limits.ts'
import type { Projection } from '../projection.ts'

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

export const artifactOf = ({ seq, at, payload }: Event<'artifact_published'>): Artifact => ({
  id: payload.artifact_id,
  name: payload.name,
  kind: payload.kind ?? 'file',
  contentType: payload.content_type,
  size: payload.size,
  firstChunkSeq: seq - payload.chunks,
  seq,
  at,
})
