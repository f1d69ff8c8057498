import type { Projection } from '../projection.ts'

/** Older checkpoints are in the log. */
const CHECKPOINTS_MAX = 50

export interface Checkpoints {
  readonly count: number
  readonly latest: readonly Checkpoint[]
}

export interface Checkpoint {
  readonly seq: number
  readonly at: number
  readonly sequence: number
  readonly type: string
  readonly status: string
  readonly summary: string
  readonly cursor: string | null
}

export const checkpoints: Projection<Checkpoints> = {
  initial: { count: 0, latest: [] },
  on: {
    session_checkpoint: (state, { seq, at, payload }) => ({
      count: state.count + 1,
      latest: [
        ...state.latest.slice(1 - CHECKPOINTS_MAX),
        {
          seq,
          at,
          sequence: payload.sequence ?? state.count + 1,
          type: payload.checkpoint_type,
          status: payload.status,
          summary: payload.summary_text,
          cursor: payload.resume_cursor ?? null,
        },
      ],
    }),
  },
}
