// A cold fold: sequence numbers and small labels; payloads are read from the log when somebody asks.
import type { Projection } from './projection.ts'

export type Artifacts = readonly Artifact[]
export interface Artifact {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly contentType: string
  readonly size: number
  /** Its chunks lie at first..seq-1 of the log. */
  readonly first: number
  readonly seq: number
  readonly at: number
}

export const artifacts: Projection<Artifacts> = {
  initial: [],
  on: {
    artifact_published: (state, { seq, at, payload }) => [
      ...state,
      {
        id: payload.artifact_id,
        name: payload.name,
        kind: payload.kind ?? 'file',
        contentType: payload.content_type,
        size: payload.size,
        first: seq - payload.chunks,
        seq,
        at,
      },
    ],
  },
}
