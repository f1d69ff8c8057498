// Playback progress of a spoken answer. If the process dies, the next one truncates the answer there.
import type { Projection } from './projection.ts'

export interface HeardMark {
  readonly runId: string
  readonly chars: number
  readonly audioMs: number
}

export interface ListenerState {
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
