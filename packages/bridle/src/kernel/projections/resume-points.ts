// A cold fold: sequence numbers and small labels; payloads are read from the log when somebody asks.
import type { Projection } from './projection.ts'

/** Where a session can be resumed or branched, in order. */
export type ResumePoints = readonly { readonly kind: 'checkpoint' | 'approval' | 'turn'; readonly seq: number }[]

export const resumePoints: Projection<ResumePoints> = {
  initial: [],
  on: {
    session_checkpoint: (state, { seq }) => [...state, { kind: 'checkpoint', seq }],
    approval_required: (state, { seq }) => [...state, { kind: 'approval', seq }],
    turn_end: (state, { seq, payload }) => (payload.status === 'completed' ? [...state, { kind: 'turn', seq }] : state),
  },
}
