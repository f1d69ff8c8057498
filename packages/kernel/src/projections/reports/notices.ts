import { CITATIONS_MAX } from '@bridle/events/limits'
import type { Projection } from '../projection.ts'

/** More warnings or compactions say nothing new. */
export const NOTICES_MAX = 10

export interface Notices {
  /** The newest retrievals with citations, in order. */
  readonly cited: readonly number[]
  readonly retrieval: number | null
  readonly guardrail: number | null
  /** The newest, in order. */
  readonly warnings: readonly number[]
  readonly compactions: readonly number[]
}

export const notices: Projection<Notices> = {
  initial: { cited: [], retrieval: null, guardrail: null, warnings: [], compactions: [] },
  on: {
    retrieval: (state, { seq, payload }) => ({
      ...state,
      retrieval: seq,
      cited: payload.citations?.length ? [...state.cited.slice(1 - CITATIONS_MAX), seq] : state.cited,
    }),
    antahkarana: (state, { seq }) => ({ ...state, guardrail: seq }),
    context_warning: (state, { seq }) => ({ ...state, warnings: [...state.warnings.slice(1 - NOTICES_MAX), seq] }),
    context_compacted: (state, { seq }) => ({
      ...state,
      compactions: [...state.compactions.slice(1 - NOTICES_MAX), seq],
    }),
  },
}
