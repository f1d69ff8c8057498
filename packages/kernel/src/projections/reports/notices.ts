import { canonicalJson, hashText, type Json } from '@bridle/events/json'
import { CITATIONS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
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
  /** The newest report of the repository's instructions; null: none. */
  readonly instructions: { readonly seq: number; readonly marks: InstructionMarks } | null
}

/** Hashes by which a later report is compared with this one. */
export interface InstructionMarks {
  readonly all: string
  readonly leftOut: string
}

export const instructionMarks = ({ files, left_out, ignored }: Payloads['instructions_loaded']): InstructionMarks => ({
  all: hashOf([files, left_out, ignored]),
  leftOut: hashOf(left_out),
})

const hashOf = (value: unknown): string => hashText(canonicalJson(value as Json))

/** The marks before the first report. */
export const NO_INSTRUCTIONS = instructionMarks({ files: [], left_out: [], ignored: [] })

export const notices: Projection<Notices> = {
  initial: { cited: [], retrieval: null, guardrail: null, warnings: [], compactions: [], instructions: null },
  on: {
    retrieval: (state, { seq, payload }) => ({
      ...state,
      retrieval: seq,
      cited: payload.citations?.length ? [...state.cited.slice(1 - CITATIONS_MAX), seq] : state.cited,
    }),
    antahkarana: (state, { seq }) => ({ ...state, guardrail: seq }),
    instructions_loaded: (state, { seq, payload }) => ({
      ...state,
      instructions: { seq, marks: instructionMarks(payload) },
    }),
    context_warning: (state, { seq }) => ({ ...state, warnings: [...state.warnings.slice(1 - NOTICES_MAX), seq] }),
    context_compacted: (state, { seq }) => ({
      ...state,
      compactions: [...state.compactions.slice(1 - NOTICES_MAX), seq],
    }),
  },
}
