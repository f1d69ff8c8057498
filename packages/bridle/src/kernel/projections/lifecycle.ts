// Where the session stands: what waits, what runs, how often it was tried, when it must be looked at again.
// Folded from facts only; session_state and the other shown events are made from this, never the other way round.

import { BRANCHED, type Event } from '../event.ts'
import { type Json, type JsonObject, omit } from '../json.ts'
import { RESUME_HANDLES_MAX, TITLE_CHARS_MAX } from '../limits.ts'
import { ownerFromId } from '../owner.ts'
import type { BranchParent } from '../ports/store.ts'
import type { PARK_REASONS, Policy } from '../schemas.ts'
import { truncate } from '../text/truncate.ts'
import type { Projection } from './projection.ts'

export interface Lifecycle {
  readonly created: boolean
  /** The number of its first event: a cursor below it is of an earlier life of this id. */
  readonly firstSeq: number
  readonly kind: 'chat' | 'background'
  /** As the log says; an id that names a user says more (`ownerOf`). */
  readonly owner: string | null
  readonly title: string
  readonly createdAt: number
  readonly settings: JsonObject
  /** What stands around the last run. */
  readonly sandbox: { readonly mode: string; readonly isolation: string } | null
  /** The provider and the model of the last run, as far as they are known. */
  readonly runtime: { readonly provider: string | null; readonly model: string | null }
  readonly maxRetries: number
  readonly expiresAt: number | null
  readonly policy: Policy
  readonly parent: BranchParent | null
  readonly parentSessionId: string | null
  /** How it stands for the session it was started from, and since which event; null = nobody is told. */
  readonly reportedStatus: { readonly status: string; readonly seq: number } | null
  /** Number of the last standing that the parent has. */
  readonly parentNotifiedSeq: number
  readonly branch: { readonly sourceEventId: string; readonly resumeCursor: string } | null
  readonly queue: readonly Prompt[]
  readonly run: Run | null
  readonly paused: boolean
  /** How the last turn ended; null while one is under way. A background session that has ended stays so. */
  readonly lastTurnStatus: 'completed' | 'failed' | 'cancelled' | null
  readonly endedAt: number | null
  /** How often the present turn, or the last, was begun from nothing. */
  readonly attempts: number
  readonly lastError: string | null
  /** Calls without an outcome, of the current attempt. */
  readonly tools: { readonly [toolCallId: string]: OpenToolCall }
  /** Steering prompts the runner does not have yet. */
  readonly steers: readonly { readonly messageId: string; readonly text: string }[]
  /** How the engine continues from each turn: from its end, or from as far as it has got. The newest of each turn. */
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
  /** Another for each start, whatever it starts from: runners and frames are told apart by it. */
  readonly attempt: number
  /** The attempt that this one goes on from; null = it started from nothing. */
  readonly continues: number | null
  /** Characters of the answer that were there when it went on. */
  readonly keptChars: number
  /** A retry was scheduled: the next start is from nothing, and counts. */
  readonly retrying: boolean
  /** Why it is parked. */
  readonly parkReason: (typeof PARK_REASONS)[number] | null
  /** Stopped, its runner tells how the next attempt goes on from there. */
  readonly resumable: boolean
  /**
   * requested: a runner should start it. started: a runner has it. cancelling: it is to end. parked: stopped and
   * kept. waiting: failed, to be tried again at `retryAt`.
   */
  readonly phase: 'requested' | 'started' | 'cancelling' | 'parked' | 'waiting'
  /** An abort the runner has not confirmed: asked then. */
  readonly stopRequestedAt: number | null
  /** No sandbox is free for it yet: it is tried again by whoever has the session. */
  readonly awaitsSandbox?: boolean
  readonly retryAt: number | null
  /** The run ends with this as soon as its runner has stopped. */
  readonly failure: { readonly message: string; readonly reason: string } | null
  /** Last committed frame of this attempt. */
  readonly frame: number
  readonly handle: Json
  readonly resume: string | null
  readonly steerable: boolean
  readonly hasOutput: boolean
  /** The runner itself has said its whole response. */
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
      // Logs from before owners were written: what hangs from a user's session is that user's.
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
        // From nothing, what an earlier attempt remembers is not to be gone on from. A place in an attempt is good once.
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
      // An engine may ask a smaller model now and then; the first one is the session's.
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
      // A turn of the parent: the branch itself has not ended.
      if (payload.stop_reason === BRANCHED) return state
      return {
        ...state,
        reportedStatus: state.reportedStatus && { status: payload.status, seq },
        queue: state.queue.filter((prompt) => prompt.runId !== payload.turn_id),
        run: state.run?.runId === payload.turn_id ? null : state.run,
        lastTurnStatus: payload.status,
        endedAt: at,
        // An error that the work got over is in the log.
        lastError: payload.status === 'completed' ? null : state.lastError,
        tools: {},
        steers: [],
      }
    },

    tool_call: (state, { payload }) => ({
      ...state,
      tools: {
        ...state.tools,
        // Undeclared means unsafe: nobody said that repeating it does no harm.
        [payload.tool_call_id]: { name: payload.name, effect: payload.effect ?? 'unsafe' },
      },
    }),
    tool_outcome: (state, { payload }) =>
      Object.hasOwn(state.tools, payload.tool_call_id)
        ? { ...state, tools: omit(state.tools, payload.tool_call_id) }
        : state,

    rewound: (state, { payload }) => ({
      ...state,
      // Going on from before a turn must not resume the engine from after it.
      handles: state.handles.filter((each) => !payload.run_ids.includes(each.runId)),
    }),

    session_paused: (state) => ({ ...state, paused: true }),
    session_resumed: (state) => ({ ...state, paused: false }),
    failure_dismissed: (state) => ({ ...state, lastTurnStatus: 'cancelled', lastError: null }),
    policy_set: (state, { payload }) => ({ ...state, policy: payload.policy }),

    branched: (state, { at, payload }) => ({
      ...state,
      kind: payload.kind,
      // The state is the parent's, and its owner with it.
      owner: ownerFromId(payload.parent.id) ?? state.owner ?? payload.owner ?? null,
      title: payload.title ?? state.title,
      settings: payload.settings ?? state.settings,
      sandbox: null,
      createdAt: at,
      parent: payload.parent,
      parentSessionId: payload.parent.id,
      // A branch is no work that its parent handed on.
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

/** The committed frame moves with every event that a runner reported. */
export const withFrame = (state: Lifecycle, event: Event): Lifecycle => {
  const { run } = state
  if (!run || event.frame === undefined || event.run !== run.runId || event.attempt !== run.attempt) return state
  const hasOutput = run.hasOutput || outputTypes.has(event.type)
  if (event.frame <= run.frame && hasOutput === run.hasOutput) return state
  return { ...state, run: { ...run, frame: Math.max(run.frame, event.frame), hasOutput } }
}

/** Whatever adds a part to the message. */
const outputTypes = new Set<string>([
  'token',
  'response',
  'thinking',
  'reflection',
  'tool_call',
  'artifact_published',
  'context_compacted',
])

/** Stopped before it was started, an attempt that goes on stands where it would have begun. */
const withResumeHandle = (state: Lifecycle): Lifecycle => {
  const { run, handles } = state
  if (run?.phase !== 'requested' || run.continues === null || run.resume === null) return state
  const others = handles.filter((each) => each.runId !== run.runId)
  return { ...state, handles: [...others, { runId: run.runId, handle: run.resume }] }
}

const withRun = (state: Lifecycle, change: Partial<Run>): Lifecycle =>
  state.run ? { ...state, run: { ...state.run, ...change } } : state

const firstLine = (text: string): string => truncate(text.trim().split('\n', 1)[0] ?? '', TITLE_CHARS_MAX)
