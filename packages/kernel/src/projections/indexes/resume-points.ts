import type { Projection } from '../projection.ts'

/** Older resume points are in the log. */
const RESUME_POINTS_MAX = 1_000

/** Where a session can be resumed or branched, in order. */
export type ResumePoints = readonly { readonly kind: 'checkpoint' | 'approval' | 'turn'; readonly seq: number }[]

export const resumePoints: Projection<ResumePoints> = {
  initial: [],
  on: {
    session_checkpoint: (state, { seq }) => [...state.slice(1 - RESUME_POINTS_MAX), { kind: 'checkpoint', seq }],
    approval_required: (state, { seq, payload: { child } }) =>
      child ? state : [...state.slice(1 - RESUME_POINTS_MAX), { kind: 'approval', seq }],
    turn_end: (state, { seq, payload }) =>
      payload.status === 'completed' ? [...state.slice(1 - RESUME_POINTS_MAX), { kind: 'turn', seq }] : state,
  },
}
