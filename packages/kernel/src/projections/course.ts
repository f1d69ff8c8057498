// Progress of a durable run. Also the start of the model's view of the conversation, which outlives runs.
import type { TextMark } from '../commands.ts'
import { approximateChars } from '../text/size.ts'
import { isTaskOver } from './indexes/subagents.ts'
import type { Projection } from './projection.ts'

export interface Course {
  /** End of the last finished step. Later text belongs to an interrupted step. */
  readonly kept: TextMark
  readonly stepStart: TextMark
  readonly takeUps: TakeUps
  /** Null if the run is not waiting. */
  readonly wait: { readonly until: number | null; readonly seq: number } | null
  /** The last event that could wake a waiting run. */
  readonly newsSeq: number
  readonly signals: { readonly count: number; readonly chars: number }
  /** Per summary, the first event that a reader of the conversation still needs. */
  readonly cuts: readonly { readonly runId: string; readonly readFrom: number }[]
}

export interface TakeUps {
  /** Crashes that count against the run. */
  readonly times: number
  readonly all: number
  /** Whether the run was alone in its trial. Null: not on trial, or excused. */
  readonly alone: boolean | null
  /** The last process was stopped on purpose. */
  readonly isExcused: boolean
  /** Maximum number of other runs open at a crash. */
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
    // A run retried after a crash loop stays a suspect.
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
      // The run of an interrupted answer has ended.
      !interrupted && (chars < state.kept.chars || parts < state.kept.parts)
        ? { ...state, kept: { chars, parts } }
        : state,

    // Answers to a child's question are news for the child only.
    approval_decided: (state, { seq, payload: { child } }) => (child ? state : { ...state, newsSeq: seq }),
    steered: (state, { seq }) => ({ ...state, newsSeq: seq }),
    signal_received: (state, { seq, payload }) => ({
      ...state,
      newsSeq: seq,
      signals: { count: state.signals.count + 1, chars: state.signals.chars + approximateChars(payload) },
    }),

    // The child has finished.
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
