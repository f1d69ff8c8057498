// Folded from facts only. Derived events such as session_state are made from this fold, never the other way round.

import { isJsonObject, omit, present } from '@bridle/events/json'
import { RETRIES_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import { BRANCHED, type Event } from '../event.ts'
import { ownerFromId } from '../owner.ts'
import { truncate } from '../text/truncate.ts'
import { isTaskOver, PROGRESS } from './indexes/subagents.ts'
import type { Lifecycle, Prompt, Run } from './lifecycle-state.ts'
import type { Projection } from './projection.ts'

/** Edits of older turns start a new engine session. */
const RESUME_HANDLES_MAX = 200
/** Characters of the first line of a prompt. */
const TITLE_CHARS_MAX = 80

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
    delegation: null,
    branch: null,
    importedSeq: null,
    claimedSeq: 0,
    queue: [],
    run: null,
    paused: false,
    pauseAfter: null,
    isArchived: false,
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
      // Logs without an owner: a child of a user's session belongs to that user.
      owner: payload.owner ?? ownerFromId(payload.parent_session_id ?? ''),
      title: payload.title ?? '',
      createdAt: at,
      settings: payload.settings ?? {},
      maxRetries: payload.max_retries ?? 0,
      expiresAt: payload.expires_at ?? null,
      policy: payload.policy ?? {},
      parentSessionId: payload.parent_session_id ?? null,
      reportedStatus: payload.tells_parent ? { status: 'running', seq } : null,
      delegation: payload.delegation ?? null,
    }),

    // Steps 1, 2, 4, 8 and so on notify the parent: every notice is a write in both sessions.
    model_step: (before, { seq, payload }) => {
      const state = withAnsweringModel(before, payload)
      return state.delegation && state.reportedStatus && isPowerOfTwo(payload.step)
        ? { ...state, reportedStatus: { status: PROGRESS, seq, steps: payload.step } }
        : state
    },

    parent_told: (state, { payload }) => ({ ...state, parentNotifiedSeq: payload.seq }),

    prompt_queued: (state, { payload }) => {
      const prompt: Prompt = {
        runId: payload.run_id,
        messageId: payload.message_id,
        text: payload.text,
        ...present({ input: payload.input, continuesRun: payload.continues_run }),
        ...(payload.spoken && { spoken: true }),
      }
      return {
        ...state,
        title: state.title || titleOf(payload.text),
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
      const { runId, messageId, text, input, continuesRun, spoken } = prompt
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
        tools: continues !== null && before?.durable ? state.tools : {},
        // A start from the beginning must not use an old handle, and a handle within an attempt is used only once.
        handles:
          continues === null || before?.resumable
            ? state.handles.filter((each) => each.runId !== runId)
            : state.handles,
        run: {
          runId,
          messageId,
          text,
          ...present({ input, continuesRun, spoken }),
          attempt: payload.attempt,
          continues,
          keptChars: payload.kept_chars ?? 0,
          retrying: false,
          parkReason: null,
          resumable: false,
          durable: before?.durable ?? false,
          ...(before?.lacksFacts && { lacksFacts: true as const }),
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
        durable: payload.durable ?? false,
      }),
      runtime: { provider: payload.provider ?? state.runtime.provider, model: payload.model ?? state.runtime.model },
    }),

    usage: (state, { payload: { model } }) => {
      // Engines also call smaller models; the first model of a run counts.
      const isNews = state.runtime.model === null || (isInSandbox(state.run) && !state.runtime.hasAnswered)
      return model === undefined || !isNews
        ? state
        : { ...state, runtime: { ...state.runtime, model, hasAnswered: true } }
    },

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

    // The interrupted run may already have ended.
    output_superseded: (state, { payload }) =>
      state.run?.runId === payload.run_id ? withRun(state, { hasOutput: false }) : state,

    response: (state) =>
      state.run && !state.run.hasResponse ? { ...state, run: { ...state.run, hasResponse: true } } : state,
    token: (state) => (state.run?.hasResponse ? { ...state, run: { ...state.run, hasResponse: false } } : state),

    steered: (state, { payload }) => ({
      ...state,
      steers: [
        ...state.steers,
        {
          messageId: payload.message_id,
          text: payload.text,
          ...(payload.input !== undefined && { input: payload.input }),
        },
      ],
    }),
    steer_delivered: (state, { payload }) => ({
      ...awayFromHandle(state),
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
      // The parent's turn ends in the branch; the branch itself does not.
      if (payload.stop_reason === BRANCHED) return state
      const queue = state.queue.filter((prompt) => prompt.runId !== payload.turn_id)
      return {
        ...state,
        reportedStatus: state.reportedStatus && { status: payload.status, seq },
        queue,
        // Without another prompt there is no step to pause before.
        pauseAfter: queue.length > 0 ? state.pauseAfter : null,
        run: state.run?.runId === payload.turn_id ? null : state.run,
        lastTurnStatus: payload.status,
        endedAt: at,
        // Errors along the way are in the log.
        lastError: payload.status === 'completed' ? null : state.lastError,
        tools: {},
        steers: [],
      }
    },

    tool_call: (state, { payload }) => ({
      ...state,
      tools: {
        ...state.tools,
        // Undeclared effects count as unsafe.
        [payload.tool_call_id]: {
          name: payload.name,
          effect: payload.effect ?? 'unsafe',
          ...(payload.effect === undefined && { isUndeclared: true }),
          ...(payload.agent_id !== undefined && { agentId: payload.agent_id }),
          ...(payload.served && { served: true }),
        },
      },
    }),
    tool_outcome: (state, { payload }) =>
      Object.hasOwn(state.tools, payload.tool_call_id)
        ? { ...awayFromHandle(state), tools: omit(state.tools, payload.tool_call_id) }
        : state,

    rewound: (state, { payload }) => ({
      ...state,
      // The engine must not resume from a later turn.
      handles: state.handles.filter((each) => !payload.run_ids.includes(each.runId)),
    }),

    approval_required: (state, { seq }) => withNewsOfApprovals(state, seq),
    approval_decided: (before, { seq, payload }) => {
      const state = withNewsOfApprovals(before, seq)
      // A paused session needs no second pause.
      return payload.pause && !state.paused
        ? {
            ...state,
            pauseAfter: {
              requestId: payload.request_id,
              actor: payload.actor ?? null,
              ...(payload.actor_claimed && { isActorClaimed: true }),
            },
          }
        : state
    },
    approval_applied: (state, { payload: { request_id, tool_call_id } }) =>
      state.pauseAfter?.requestId === request_id && !Object.hasOwn(state.tools, tool_call_id)
        ? { ...state, pauseAfter: { ...state.pauseAfter, isOfNoCall: true } }
        : state,
    session_paused: (state) => ({ ...state, paused: true, pauseAfter: null }),
    session_resumed: (state) => ({ ...state, paused: false }),
    session_archived: (state) => ({ ...state, isArchived: true }),
    session_unarchived: (state) => ({ ...state, isArchived: false }),
    session_renamed: (state, { payload }) => ({ ...state, title: payload.title }),
    failure_dismissed: (state) => ({ ...state, lastTurnStatus: 'cancelled', lastError: null }),
    policy_set: (state, { payload }) => ({ ...state, policy: payload.policy }),

    branched: (state, { seq, at, payload }) => ({
      ...state,
      kind: payload.kind,
      // The state is the parent's, including its owner.
      owner: ownerFromId(payload.parent.id) ?? state.owner ?? payload.owner ?? null,
      title: payload.title ?? state.title,
      settings: payload.settings ?? (payload.imported ? claimedSettings : withoutFolder)(state.settings),
      ...(payload.imported && { claimedSeq: seq, maxRetries: Math.min(state.maxRetries, RETRIES_MAX) }),
      sandbox: null,
      createdAt: at,
      parent: payload.parent,
      parentSessionId: payload.parent.id,
      // A branch is not a child of its parent and notifies no one.
      reportedStatus: null,
      delegation: null,
      importedSeq: null,
      branch: { sourceEventId: payload.source_event_id, resumeCursor: payload.resume_cursor },
      queue: [],
      run: null,
      paused: false,
      pauseAfter: null,
      isArchived: false,
      lastTurnStatus: null,
      endedAt: null,
      attempts: 0,
      expiresAt: null,
      lastError: null,
      tools: {},
      steers: [],
    }),

    // Nothing left open in the file may start here: no run, no timer, no notice to another session.
    session_imported: (state, { seq, at, payload }) => {
      const { run, queue, kind, lastTurnStatus } = state
      const wasOpen = run !== null || queue.length > 0 || (kind === 'background' && lastTurnStatus === null)
      return {
        ...state,
        owner: payload.owner ?? state.owner,
        importedSeq: seq,
        claimedSeq: seq,
        settings: payload.settings ?? claimedSettings(state.settings),
        maxRetries: Math.min(state.maxRetries, RETRIES_MAX),
        reportedStatus: null,
        delegation: null,
        queue: [],
        run: null,
        pauseAfter: null,
        expiresAt: null,
        tools: {},
        steers: [],
        handles: [],
        ...(wasOpen && { lastTurnStatus: 'cancelled', endedAt: at }),
      }
    },
  },
}

/** Each event of a runner's report advances the committed frame. */
export const withFrame = (state: Lifecycle, event: Event): Lifecycle => {
  const { run } = state
  if (!run || event.frame === undefined || event.run !== run.runId || event.attempt !== run.attempt) return state
  const hasOutput = run.hasOutput || outputTypes.has(event.type)
  const isAtHandle = event.type === 'resume_handle' || (run.isAtHandle === true && !typesBehindHandle.has(event.type))
  if (event.frame <= run.frame && hasOutput === run.hasOutput && isAtHandle === (run.isAtHandle ?? false)) return state
  return {
    ...state,
    run: {
      ...run,
      frame: Math.max(run.frame, event.frame),
      hasOutput,
      ...((isAtHandle || run.isAtHandle !== undefined) && { isAtHandle }),
    },
  }
}

/** A folder belongs to one session on one server: files must not choose it, and branches must not share it. */
export const withoutFolder = ({ workspace_path: _, ...settings }: Lifecycle['settings']): Lifecycle['settings'] =>
  settings

/** An imported file must not choose a folder or a more permissive mode. */
const claimedSettings = ({ permission_mode: mode, ...settings }: Lifecycle['settings']): Lifecycle['settings'] => ({
  ...Object.fromEntries(
    Object.entries(settings).filter(
      ([name]) => !name.startsWith('workspace_') && name !== 'task_graph_id' && name !== 'approval_mode',
    ),
  ),
  ...(mode === 'plan' && { permission_mode: mode }),
})

/** Facts that let a durable run continue. Hearsay ones came from a file, without their content. */
const continuationTypes: ReadonlySet<string> = new Set(['model_step', 'context_added', 'step_done'])

/** Prevents branches from continuing an imported run whose facts are missing. */
export const withLostFact = (state: Lifecycle, event: Event): Lifecycle =>
  state.run?.durable && event.run === state.run.runId && continuationTypes.has(event.type)
    ? { ...state, run: { ...state.run, lacksFacts: true } }
    : state

/** Events that a restarted turn withdraws: message parts and directives. */
const outputTypes = new Set<string>([
  'token',
  'response',
  'thinking',
  'reflection',
  'tool_call',
  'artifact_published',
  'context_compacted',
  'directive',
])

/** After these events, resuming from an earlier handle would repeat or lose something. Thoughts may be repeated. */
const typesBehindHandle = new Set<string>(
  [...outputTypes, 'tool_result', 'tool_outcome'].filter((type) => type !== 'thinking'),
)

/** For progress outside of runner reports, such as a call ended on its behalf. */
const awayFromHandle = (state: Lifecycle): Lifecycle =>
  state.run?.isAtHandle ? withRun(state, { isAtHandle: false }) : state

/** An attempt stopped before its start keeps the handle it would have used. */
const withResumeHandle = (state: Lifecycle): Lifecycle => {
  const { run, handles } = state
  if (run?.phase !== 'requested' || run.continues === null || run.resume === null) return state
  const others = handles.filter((each) => each.runId !== run.runId)
  return { ...state, handles: [...others, { runId: run.runId, handle: run.resume }] }
}

/** Triggers a notice to the parent with all open approvals, here and below. */
const withNewsOfApprovals = (state: Lifecycle, seq: number): Lifecycle => {
  const { reportedStatus } = state
  if (!reportedStatus) return state
  const status = isTaskOver(reportedStatus.status) ? reportedStatus.status : 'running'
  return { ...state, reportedStatus: { status, seq } }
}

/** An engine may answer with another model than the one that it was asked for. Models of this process say so in their steps. */
const isInSandbox = (run: Run | null): boolean => isJsonObject(run?.handle) && run.handle.sandbox !== undefined

const withRun = (state: Lifecycle, change: Partial<Run>): Lifecycle =>
  state.run ? { ...state, run: { ...state.run, ...change } } : state

const titleOf = (prompt: string): string => {
  const line = prompt.trim().split('\n', 1)[0] ?? ''
  return line.length <= TITLE_CHARS_MAX ? line : `${truncate(line, TITLE_CHARS_MAX - 1)}…`
}

/** The agent's first model is shown until another one answers. */
const withAnsweringModel = (
  state: Lifecycle,
  { provider: named, model, model_index: index = 0 }: Payloads['model_step'],
): Lifecycle => {
  const { runtime } = state
  const provider = named ?? null
  if (index === 0 || (runtime.isFallback && runtime.provider === provider && runtime.model === model)) return state
  return { ...state, runtime: { provider, model, isFallback: true } }
}

const isPowerOfTwo = (count: number): boolean => count > 0 && Number.isInteger(Math.log2(count))
