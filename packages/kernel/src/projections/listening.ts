// How much of the answer that is being spoken was heard so far. A process that dies leaves it to the next one, which cuts the answer there.
import type { Projection } from './projection.ts'

export interface HeardMark {
  readonly runId: string
  /** Characters of the answer. */
  readonly chars: number
  readonly audioMs: number
}

export interface ListenerState {
  /** Null: no answer is being played. */
  readonly answer: HeardMark | null
}

const NOBODY: ListenerState = { answer: null }

export const listening: Projection<ListenerState> = {
  initial: NOBODY,
  on: {
    answer_heard: (_state, { payload: { run_id, chars, audio_ms, over } }) =>
      over ? NOBODY : { answer: { runId: run_id, chars, audioMs: audio_ms } },
    output_superseded: (state, { payload: { run_id, interrupted } }) =>
      interrupted && state.answer?.runId === run_id ? NOBODY : state,
    rewound: (state, { payload: { run_ids } }) =>
      state.answer && run_ids.includes(state.answer.runId) ? NOBODY : state,
    branched: () => NOBODY,
    session_imported: () => NOBODY,
  },
}
