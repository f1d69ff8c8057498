// The lifecycle of a session: its queue, its run, its attempts and deadlines. Folded from facts only: session_state and the
// other shown events are made from this fold, never the other way round.

import { BRANCHED, type Event } from '../event.ts'
import { type Json, type JsonObject, omit } from '../json.ts'
import { RESUME_HANDLES_MAX, TITLE_CHARS_MAX } from '../limits.ts'
import { ownerFromId } from '../owner.ts'
import type { BranchParent } from '../ports/log.ts'
import type { PARK_REASONS, Policy } from '../schemas.ts'
import { truncate } from '../text/truncate.ts'
import type { Projection } from './projection.ts'

export interface Lifecycle {
  readonly created: boolean
  /** The number of the first event: a cursor below it belongs to a deleted session of the same id. */
  readonly firstSeq: number
  readonly kind: 'chat' | 'background'
  /** The owner in the log; an id that names a user overrides it (`ownerOf`). */
  readonly owner: string | null
  readonly title: string
  readonly createdAt: number
  readonly settings: JsonObject
  /** The sandbox of the last run. */
  readonly sandbox: { readonly mode: string; readonly isolation: string } | null
  /** The provider and the model of the last run, if known. */
  readonly runtime: { readonly provider: string | null; readonly model: string | null }
  readonly maxRetries: number
  readonly expiresAt: number | null
  readonly policy: Policy
  readonly parent: BranchParent | null
  readonly parentSessionId: string | null
  /** The status for the parent session, and the event that set it; null: no parent is notified. */
  readonly reportedStatus: { readonly status: string; readonly seq: number } | null
  /** Number of the last status that the parent has. */
  readonly parentNotifiedSeq: number
  readonly branch: { readonly sourceEventId: string; readonly resumeCursor: string } | null
  readonly queue: readonly Prompt[]
  readonly run: Run | null
  readonly paused: boolean
  /** The end of the last turn; null during a turn. A background session that has ended keeps it. */
  readonly lastTurnStatus: 'completed' | 'failed' | 'cancelled' | null
  readonly endedAt: number | null
  /** How often the current or last turn started from the beginning. */
  readonly attempts: number
  readonly lastError: string | null
  /** Open calls of the current attempt. */
  readonly tools: { readonly [toolCallId: string]: OpenToolCall }
  /** Steering prompts that the runner does not have yet. */
  readonly steers: readonly { readonly messageId: string; readonly text: string }[]
  /** The newest resume handle of each turn: of its end, or of the furthest point reached. */
  readonly handles: readonly { readonly runId: string; readonly handle: string }[]
}

/** A prompt and the run it becomes share one id. */
export interface Prompt {
  readonly runId: string
  readonly messageId: string
  readonly text: string
  readonly input?: Json
}

export interface Run extends Prompt {
  /** A new number for each start: it distinguishes runners and frames. */
  readonly attempt: number
  /** The attempt that this one continues; null: it started from the beginning. */
  readonly continues: number | null
  /** Characters of the answer that the continued attempts wrote. */
  readonly keptChars: number
  /** A retry is scheduled: the next attempt starts from the beginning, and counts. */
  readonly retrying: boolean
  /** Why the run is parked. */
  readonly parkReason: (typeof PARK_REASONS)[number] | null
  /** When stopped, the runner reports a handle from which the next attempt continues. */
  readonly resumable: boolean
  /**
   * requested: a runner should start it. started: a runner has it. cancelling: it is being stopped for good. parked: stopped
   * and kept. waiting: failed, with a retry at `retryAt`.
   */
  readonly phase: 'requested' | 'started' | 'cancelling' | 'parked' | 'waiting'
  /** The time of an abort that the runner has not confirmed. */
  readonly stopRequestedAt: number | null
  /** The run waits for a free sandbox; the process that owns the session tries again. */
  readonly awaitsSandbox?: boolean
  readonly retryAt: number | null
  /** The status with which the run ends when its runner has stopped. */
  readonly failure: { readonly message: string; readonly reason: string } | null
  /** Last committed frame of this attempt. */
  readonly frame: number
  readonly handle: Json
  readonly resume: string | null
  readonly steerable: boolean
  readonly hasOutput: boolean
  /** The runner has reported its whole response. */
  readonly hasResponse: boolean
}

export interface OpenToolCall {
  readonly name: string
  readonly effect: 'pure' | 'idempotent' | 'unsafe'
}

export const lifecycle: Projection<Lifecycle> = {
  initial: {
    created: false,
    firstSeq: 0,
    kind: 'chat',
    owner: null,
    title: '',
    createdAt: 0,
    settings: {},
    sandbox: null,
    runtime: { provider: null, model: null },
    maxRetries: 0,
    expiresAt: null,
    policy: {},
    parent: null,
    parentSessionId: null,
    reportedStatus: null,
    parentNotifiedSeq: 0,
    branch: null,
    queue: [],
    run: null,
    paused: false,
    lastTurnStatus: null,
    endedAt: null,
    attempts: 0,
    lastError: null,
    tools: {},
    steers: [],
    handles: [],
  },
  on: {
    session_created: (state, { seq, at, payload }) => ({
      ...state,
      created: true,
      firstSeq: seq,
      kind: payload.kind,
      // Older logs have no owner: a child of a user's session belongs to that user.
      owner: payload.owner ?? ownerFromId(payload.parent_session_id ?? ''),
      title: payload.title ?? '',
      createdAt: at,
      settings: payload.settings ?? {},
      maxRetries: payload.max_retries ?? 0,
      expiresAt: payload.expires_at ?? null,
      policy: payload.policy ?? {},
      parentSessionId: payload.parent_session_id ?? null,
      reportedStatus: payload.tells_parent ? { status: 'running', seq } : null,
    }),

    parent_told: (state, { payload }) => ({ ...state, parentNotifiedSeq: payload.seq }),

    prompt_queued: (state, { payload }) => {
      const prompt: Prompt = {
        runId: payload.run_id,
        messageId: payload.message_id,
        text: payload.text,
        ...(payload.input !== undefined && { input: payload.input }),
      }
      return {
        ...state,
        title: state.title || firstLine(payload.text),
        queue: payload.head ? [prompt, ...state.queue] : [...state.queue, prompt],
      }
    },

    prompt_dropped: (state, { payload }) => ({
      ...state,
      queue: state.queue.filter((prompt) => prompt.runId !== payload.run_id),
    }),

    run_requested: (state, { seq, payload }) => {
      const prompt = state.queue.find((each) => each.runId === payload.run_id) ?? state.run
      if (!prompt) return state
      const { runId, messageId, text, input } = prompt
      const before = state.run?.runId === runId ? state.run : null
      const continues = payload.continues ?? null
      return {
        ...state,
        queue: state.queue.filter((each) => each.runId !== runId),
        attempts: before ? state.attempts + (before.retrying ? 1 : 0) : 1,
        reportedStatus:
          state.reportedStatus && state.reportedStatus.status !== 'running'
            ? { status: 'running', seq }
            : state.reportedStatus,
        lastTurnStatus: null,
        endedAt: null,
        tools: {},
        // A start from the beginning must not use the handle of an earlier attempt. A handle inside an attempt is used once.
        handles:
          continues === null || before?.resumable
            ? state.handles.filter((each) => each.runId !== runId)
            : state.handles,
        run: {
          runId,
          messageId,
          text,
          ...(input !== undefined && { input }),
          attempt: payload.attempt,
          continues,
          keptChars: payload.kept_chars ?? 0,
          retrying: false,
          parkReason: null,
          resumable: false,
          phase: 'requested',
          stopRequestedAt: null,
          retryAt: null,
          failure: null,
          frame: -1,
          handle: null,
          resume: payload.resume ?? null,
          steerable: false,
          hasOutput: continues !== null && (before?.hasOutput ?? false),
          hasResponse: false,
        },
      }
    },

    run_started: (state, { payload }) => ({
      ...withRun(state, {
        phase: 'started',
        handle: payload.handle ?? null,
        steerable: payload.steer ?? false,
        resumable: payload.resumable ?? false,
      }),
      runtime: { provider: payload.provider ?? state.runtime.provider, model: payload.model ?? state.runtime.model },
    }),

    usage: (state, { payload: { model } }) =>
      // Engines also call smaller models; the first model is the session's.
      model === undefined || state.runtime.model !== null ? state : { ...state, runtime: { ...state.runtime, model } },

    sandbox_notice: (state, { payload }) => {
      const { resolved_backend: mode, isolation } = payload
      const { sandbox } = state
      return sandbox?.mode === mode && sandbox.isolation === isolation
        ? state
        : { ...state, sandbox: { mode, isolation } }
    },

    sandbox_awaited: (state, { payload }) => withRun(state, { awaitsSandbox: payload.reason !== null }),

    cancel_requested: (state, { at, payload }) =>
      state.run?.runId === payload.run_id
        ? withRun(state, { phase: 'cancelling', stopRequestedAt: at, retryAt: null })
        : state,

    run_parked: (before, { at, payload }) => {
      const state = withResumeHandle(before)
      return withRun(state, {
        phase: 'parked',
        parkReason: payload.reason,
        retryAt: null,
        stopRequestedAt: payload.stop ? at : null,
        failure: payload.failure ?? null,
      })
    },

    run_stopped: (state) => withRun(state, { stopRequestedAt: null }),

    retry_scheduled: (state, { payload }) => ({
      ...withRun(state, { phase: 'waiting', retryAt: payload.due, retrying: true }),
      lastError: payload.reason,
    }),

    output_superseded: (state) => withRun(state, { hasOutput: false }),

    response: (state) =>
      state.run && !state.run.hasResponse ? { ...state, run: { ...state.run, hasResponse: true } } : state,
    token: (state) => (state.run?.hasResponse ? { ...state, run: { ...state.run, hasResponse: false } } : state),

    steered: (state, { payload }) => ({
      ...state,
      steers: [...state.steers, { messageId: payload.message_id, text: payload.text }],
    }),
    steer_delivered: (state, { payload }) => ({
      ...state,
      steers: state.steers.filter((steer) => steer.messageId !== payload.message_id),
    }),

    resume_handle: (state, { payload }) => ({
      ...state,
      handles: [
        ...state.handles.filter((each) => each.runId !== payload.run_id).slice(1 - RESUME_HANDLES_MAX),
        { runId: payload.run_id, handle: payload.handle },
      ],
    }),

    error: (state, { payload }) => ({ ...state, lastError: payload.message }),

    turn_end: (state, { seq, at, payload }) => {
      // The turn is the parent's: the branch has not ended.
      if (payload.stop_reason === BRANCHED) return state
      return {
        ...state,
        reportedStatus: state.reportedStatus && { status: payload.status, seq },
        queue: state.queue.filter((prompt) => prompt.runId !== payload.turn_id),
        run: state.run?.runId === payload.turn_id ? null : state.run,
        lastTurnStatus: payload.status,
        endedAt: at,
        // Completed work has no error; an error on the way is in the log.
        lastError: payload.status === 'completed' ? null : state.lastError,
        tools: {},
        steers: [],
      }
    },

    tool_call: (state, { payload }) => ({
      ...state,
      tools: {
        ...state.tools,
        // An undeclared effect counts as unsafe.
        [payload.tool_call_id]: { name: payload.name, effect: payload.effect ?? 'unsafe' },
      },
    }),
    tool_outcome: (state, { payload }) =>
      Object.hasOwn(state.tools, payload.tool_call_id)
        ? { ...state, tools: omit(state.tools, payload.tool_call_id) }
        : state,

    rewound: (state, { payload }) => ({
      ...state,
      // After a rewind the engine must not resume from a later turn.
      handles: state.handles.filter((each) => !payload.run_ids.includes(each.runId)),
    }),

    session_paused: (state) => ({ ...state, paused: true }),
    session_resumed: (state) => ({ ...state, paused: false }),
    failure_dismissed: (state) => ({ ...state, lastTurnStatus: 'cancelled', lastError: null }),
    policy_set: (state, { payload }) => ({ ...state, policy: payload.policy }),

    branched: (state, { at, payload }) => ({
      ...state,
      kind: payload.kind,
      // The state is the parent's, its owner included.
      owner: ownerFromId(payload.parent.id) ?? state.owner ?? payload.owner ?? null,
      title: payload.title ?? state.title,
      settings: payload.settings ?? state.settings,
      sandbox: null,
      createdAt: at,
      parent: payload.parent,
      parentSessionId: payload.parent.id,
      // A branch is not a child of its parent: it notifies nobody.
      reportedStatus: null,
      branch: { sourceEventId: payload.source_event_id, resumeCursor: payload.resume_cursor },
      queue: [],
      run: null,
      paused: false,
      lastTurnStatus: null,
      endedAt: null,
      attempts: 0,
      expiresAt: null,
      lastError: null,
      tools: {},
      steers: [],
    }),
  },
}

/** Each event from a runner's report moves the committed frame. */
export const withFrame = (state: Lifecycle, event: Event): Lifecycle => {
  const { run } = state
  if (!run || event.frame === undefined || event.run !== run.runId || event.attempt !== run.attempt) return state
  const hasOutput = run.hasOutput || outputTypes.has(event.type)
  if (event.frame <= run.frame && hasOutput === run.hasOutput) return state
  return { ...state, run: { ...run, frame: Math.max(run.frame, event.frame), hasOutput } }
}

/** Event types that add a part to the message. */
const outputTypes = new Set<string>([
  'token',
  'response',
  'thinking',
  'reflection',
  'tool_call',
  'artifact_published',
  'context_compacted',
])

/** An attempt stopped before its start keeps the handle with which it would have begun. */
const withResumeHandle = (state: Lifecycle): Lifecycle => {
  const { run, handles } = state
  if (run?.phase !== 'requested' || run.continues === null || run.resume === null) return state
  const others = handles.filter((each) => each.runId !== run.runId)
  return { ...state, handles: [...others, { runId: run.runId, handle: run.resume }] }
}

const withRun = (state: Lifecycle, change: Partial<Run>): Lifecycle =>
  state.run ? { ...state, run: { ...state.run, ...change } } : state

const firstLine = (text: string): string => truncate(text.trim().split('\n', 1)[0] ?? '', TITLE_CHARS_MAX)
