// The course of a durable run: how far it got, whether it waits, and what came meanwhile. Also where the model's view of the
// conversation begins, which outlives the runs.
import type { TextMark } from '../commands.ts'
import { approximateChars } from '../text/size.ts'
import { isTaskOver } from './indexes/subagents.ts'
import type { Projection } from './projection.ts'

export interface Course {
  /** The place in the answer after the last finished step: a step that was cut off wrote the text behind it. */
  readonly kept: TextMark
  /** The place where the last finished step began. */
  readonly stepStart: TextMark
  /** The resumptions of the run since it last made progress. */
  readonly takeUps: TakeUps
  /** The run waits for news, or until a time; null: it does not wait. */
  readonly wait: { readonly until: number | null; readonly seq: number } | null
  /** The last event that a waiting run may have waited for. */
  readonly newsSeq: number
  /** The signals of the run: how many, and their characters together. */
  readonly signals: { readonly count: number; readonly chars: number }
  /** Each summary of a run: who reads the conversation needs the events from `readFrom` on. */
  readonly cuts: readonly { readonly runId: string; readonly readFrom: number }[]
}

/** The resumptions of a run since it last made progress. */
export interface TakeUps {
  /** Crashes that count against the run. */
  readonly times: number
  readonly all: number
  /** Whether no other run was at work in the trial of the run. Null: not on trial, or excused. */
  readonly alone: boolean | null
  /** The process that resumed the run last was stopped on purpose. */
  readonly isExcused: boolean
  /** The most other runs that were open at a crash. */
  readonly others: number
}

const NO_TAKE_UPS: TakeUps = { times: 0, all: 0, alone: null, isExcused: false, others: 0 }
const ANNOUNCED: TakeUps = { ...NO_TAKE_UPS, isExcused: true }
const START: TextMark = { chars: 0, parts: 0 }
const NO_SIGNALS: Course['signals'] = { count: 0, chars: 0 }

export const course: Projection<Course> = {
  initial: {
    kept: START,
    stepStart: START,
    takeUps: NO_TAKE_UPS,
    wait: null,
    newsSeq: 0,
    signals: NO_SIGNALS,
    cuts: [],
  },
  on: {
    run_requested: (state, { payload }) =>
      payload.continues === undefined
        ? { ...state, kept: START, stepStart: START, takeUps: NO_TAKE_UPS, wait: null, signals: NO_SIGNALS }
        : { ...state, wait: null },
    run_resumed: (state, { payload: { times, alone = null, others = 0 } }) => ({
      ...state,
      takeUps: {
        ...{ times, all: state.takeUps.all + 1, alone, isExcused: false },
        others: Math.max(state.takeUps.others, others),
      },
    }),
    run_excused: (state, { payload: { reason } }) => ({
      ...state,
      takeUps: { ...state.takeUps, alone: null, isExcused: reason === 'stopping' },
    }),
    // The attempt after a crash loop stays a suspect.
    retry_scheduled: (state, { payload: { code } }) =>
      code === 'crash_loop' ? { ...state, takeUps: { ...state.takeUps, alone: null } } : withProgress(state),
    run_waiting: (state, { seq, payload }) => ({ ...withProgress(state), wait: { until: payload.until, seq } }),
    run_woken: (state) => ({ ...state, wait: null }),
    run_parked: (state) => withProgress(withoutWait(state)),
    cancel_requested: (state) => withoutWait(state),
    turn_end: (state) => withoutWait(state),

    model_step: (state, { payload: { chars = 0, parts = 0 } }) => ({
      ...withProgress(state),
      kept: { chars, parts },
      stepStart: state.kept,
    }),
    context_added: (state, { payload: { chars, parts } }) =>
      chars === undefined || parts === undefined ? state : { ...state, kept: { chars, parts } },
    step_done: (state) => withProgress(state),
    tool_outcome: (state) => withProgress(state),
    output_superseded: (state, { payload: { interrupted, keep: { chars, parts } = START } }) =>
      // The run of an interrupted answer does not go on.
      !interrupted && (chars < state.kept.chars || parts < state.kept.parts)
        ? { ...state, kept: { chars, parts } }
        : state,

    // The answer to a child's question is news for the child alone.
    approval_decided: (state, { seq, payload: { child } }) => (child ? state : { ...state, newsSeq: seq }),
    steered: (state, { seq }) => ({ ...state, newsSeq: seq }),
    signal_received: (state, { seq, payload }) => ({
      ...state,
      newsSeq: seq,
      signals: { count: state.signals.count + 1, chars: state.signals.chars + approximateChars(payload) },
    }),

    // The end of a child session.
    subagent_event: (state, { seq, payload: { child_seq, status } }) =>
      child_seq !== undefined && isTaskOver(status) ? { ...state, newsSeq: seq } : state,

    context_compacted: (state, { run, payload: { kept_from, read_from = kept_from } }) =>
      run === undefined || kept_from === undefined || read_from === undefined
        ? withProgress(state)
        : { ...withProgress(state), cuts: [...state.cuts, { runId: run, readFrom: read_from }] },
    rewound: (state, { payload }) =>
      state.cuts.some(({ runId }) => payload.run_ids.includes(runId))
        ? { ...state, cuts: state.cuts.filter(({ runId }) => !payload.run_ids.includes(runId)) }
        : state,
    branched: ({ cuts }) => ({ ...course.initial, cuts }),
    session_imported: ({ cuts }) => ({ ...course.initial, cuts }),
  },
}

const withoutWait = (state: Course): Course => (state.wait === null ? state : { ...state, wait: null })
/** Progress does not revoke an announced stop. */
const withProgress = (state: Course): Course => {
  const takeUps = state.takeUps.isExcused ? ANNOUNCED : NO_TAKE_UPS
  return state.takeUps === takeUps ? state : { ...state, takeUps }
}
