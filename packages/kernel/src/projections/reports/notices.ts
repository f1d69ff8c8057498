// Reports of an agent about its sources and its context, as a cold fold: sequence numbers; payloads are read from the log on request.
import { CITATIONS_MAX } from '@bridle/events/limits'
import type { Projection } from '../projection.ts'

/** Warnings about the context, and compactions, in a detail: more say nothing new. */
export const NOTICES_MAX = 10

export interface Notices {
  /** The newest retrievals with citations, oldest first. */
  readonly cited: readonly number[]
  /** The newest retrieval of all; null: none. */
  readonly retrieval: number | null
  /** The newest report of the guardrails; null: none. */
  readonly guardrail: number | null
  /** The newest warnings about the context and its compactions, oldest first. */
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
