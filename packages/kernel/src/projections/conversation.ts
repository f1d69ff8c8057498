// The conversation *is* the transport's HarnessState: server and clients apply the same operations, so they cannot differ.

import type { EventType } from '@bridle/events/catalogue'
import { isSameJson, type JsonObject, present } from '@bridle/events/json'
import { QUEUED_PROMPT_CHARS_MAX } from '@bridle/events/limits'
import type { SessionStatus } from '@bridle/events/schemas'
import { appendTextOperation, type DeltaOperation, setOperation } from '../delta.ts'
import { type AnyEvent, BRANCHED, type Event, IMPORTED } from '../event.ts'
import { messageIdOf, withoutCallId } from '../ids.ts'
import { childField, givenAnswer, requestFields } from '../question-request.ts'
import { toolOutcomeOf } from '../tool-outcome.ts'
import { riskLevelOf } from './approvals.ts'
import { noteEventPlace } from './event-places.ts'
import type { HarnessApproval, HarnessMessage, HarnessState, HarnessToolCall } from './harness-state.ts'
import { SPOKEN_AUDIO } from './indexes/artifacts.ts'
import { supersedeFrom, supersedeMessage, withResponse } from './message-parts.ts'

export const emptyConversation: HarnessState = { status: 'idle', messages: [], sessionStatus: 'idle', approvals: [] }

/** Empty for events outside the conversation and for hearsay. */
export const conversationOperations = (state: HarnessState, event: AnyEvent): readonly DeltaOperation[] => {
  if (event.hearsay || !Object.hasOwn(changes, event.type)) return none
  return (changes[event.type] as ConversationChange<AnyEvent>)(state, event)
}

type ConversationChange<E> = (state: HarnessState, event: E) => readonly DeltaOperation[]
const none: readonly DeltaOperation[] = []

const changes: { readonly [T in EventType]?: ConversationChange<Event<T>> } = {
  session_checkpoint: noteEventPlace,
  context_warning: noteEventPlace,
  retrieval: noteEventPlace,
  antahkarana: noteEventPlace,
  session_paused: noteEventPlace,
  session_resumed: noteEventPlace,
  session_archived: noteEventPlace,
  session_unarchived: noteEventPlace,
  session_renamed: noteEventPlace,
  policy_set: noteEventPlace,
  signal_received: noteEventPlace,
  memory_decided: noteEventPlace,
  budget_crossed: noteEventPlace,
  budget_raised: noteEventPlace,
  retry_scheduled: noteEventPlace,
  custom_event: noteEventPlace,
  directive: noteEventPlace,
  execution_feedback: noteEventPlace,

  prompt_queued: (state, { seq, at, payload }) => {
    const message = {
      // Every move in the queue sends the prompt again, so it is truncated.
      ...userMessage(
        payload.message_id,
        payload.text.slice(0, QUEUED_PROMPT_CHARS_MAX).toWellFormed(),
        'pending',
        payload.run_id,
        at,
      ),
      ...(payload.text.length > QUEUED_PROMPT_CHARS_MAX && { contentLength: payload.text.length }),
      ...(payload.input !== undefined && { input: payload.input }),
      ...(payload.spoken && { spoken: true as const }),
    }
    // A late steering prompt keeps its place.
    const isNew = payload.message_id === messageIdOf(seq)
    const shown = isNew ? -1 : state.messages.findIndex((each) => each.id === payload.message_id)
    if (shown >= 0) return [setOperation(['messages', shown], message)]
    const isWaiting = (each: HarnessMessage) => each.role === 'user' && each.status === 'pending'
    const firstWaiting = payload.head ? state.messages.findIndex(isWaiting) : -1
    return insert(state, firstWaiting >= 0 ? firstWaiting : state.messages.length, message)
  },

  prompt_dropped: (state, { payload }) => {
    const index = state.messages.findIndex((message) => message.id === payload.message_id)
    if (index < 0) return none
    return [
      ...wholePrompt(state, index, payload.text),
      setOperation(['messages', index, 'status'], 'complete'),
      setOperation(['messages', index, 'stopReason'], 'cancelled'),
    ]
  },

  steered: (state, { at, payload }) => {
    // Behind the run's last message, before queued prompts, so that steering prompts keep their order.
    const last = state.messages.findLastIndex((message) => message.runId === payload.run_id)
    const message = {
      ...userMessage(payload.message_id, payload.text, 'complete', payload.run_id, at),
      ...(payload.input !== undefined && { input: payload.input }),
    }
    return insert(state, last < 0 ? state.messages.length : last + 1, message)
  },

  rewound: (state, { payload }) => [setOperation(['messages'], state.messages.slice(0, payload.keep))],

  turn_start: (state, { at, run, payload }) => {
    const asked = promptIndex(state, run)
    const answer: HarnessMessage = {
      id: payload.message_id ?? `${payload.turn_id}:answer`,
      role: 'assistant',
      content: '',
      status: 'pending',
      toolCalls: [],
      parts: [],
      runId: payload.turn_id,
      createdAt: at,
    }
    return [
      ...(state.error ? [setOperation(['error'], '')] : []),
      ...(asked >= 0 ? wholePrompt(state, asked, payload.prompt) : []),
      ...(asked >= 0 ? [setOperation(['messages', asked, 'status'], 'complete')] : []),
      // Directly behind its prompt, before queued ones.
      ...insert(state, asked >= 0 ? asked + 1 : state.messages.length, answer),
    ]
  },

  token: (state, { run, payload }) =>
    changeOpenAnswer(state, run, (message, path) => {
      const last = message.parts?.at(-1)
      const open = last?.type === 'text' && 'from' in last
      if (payload.text === '') return none
      return [
        ...(open
          ? []
          : [
              setOperation([...path, 'parts', message.parts?.length ?? 0], {
                type: 'text',
                from: message.content.length,
              }),
            ]),
        appendTextOperation([...path, 'content'], payload.text),
      ]
    }),

  response: (state, { run, payload }) =>
    changeOpenAnswer(state, run, (message, path) => withResponse(message, path, payload.text)),

  thinking: (state, { run, payload }) => appendReasoning(state, run, payload.text),
  reflection: (state, { run, payload }) => appendReasoning(state, run, payload.text),

  tool_call: (state, { run, payload }) =>
    changeOpenAnswer(state, run, (message, path) => {
      const call = {
        id: payload.tool_call_id,
        name: payload.name,
        status: 'running',
        arguments: withoutCallId(payload.arguments),
      }
      return [
        setOperation([...path, 'toolCalls', message.toolCalls?.length ?? 0], call),
        setOperation([...path, 'parts', message.parts?.length ?? 0], {
          type: 'tool',
          toolCallId: payload.tool_call_id,
        }),
      ]
    }),

  tool_result: (state, { run, payload }) =>
    changeToolCall(state, run, payload.tool_call_id, (path) => [setOperation([...path, 'result'], payload.result)]),

  tool_outcome: (state, { run, payload }) =>
    changeToolCall(state, run, payload.tool_call_id, (path, call) => [
      setOperation(
        [...path, 'status'],
        payload.status === 'ok' || payload.status === 'artifact' ? 'complete' : 'error',
      ),
      setOperation([...path, 'outcome'], payload.status),
      setOperation([...path, 'toolOutcome'], toolOutcomeOf(payload) as JsonObject),
      // Do not send the result twice: it may be long.
      ...(payload.result === undefined || isSameJson(payload.result, call.result)
        ? []
        : [setOperation([...path, 'result'], payload.result)]),
      ...(payload.error === undefined ? [] : [setOperation([...path, 'error'], payload.error)]),
    ]),

  // Only the first event of a child has no `child_seq`.
  subagent_event: (state, { run, payload: { tool_call_id: callId, session_id: id, agent, child_seq } }) =>
    callId === undefined || id === undefined || agent === undefined || child_seq !== undefined
      ? none
      : changeToolCall(state, run, callId, (path) => [setOperation([...path, 'child'], { id, agent })]),

  approval_required: (state, { run, payload }) => [
    setOperation(
      ['approvals'],
      [
        ...(state.approvals ?? []),
        {
          id: payload.request_id,
          ...(requestFields(payload) as Pick<HarnessApproval, 'kind'> & JsonObject),
          toolCallId: payload.tool_call_id,
          toolName: payload.tool_name,
          reason: payload.reason,
          ...(payload.arguments && { arguments: withoutCallId(payload.arguments) }),
          ...(payload.expires_at && { expiresAt: payload.expires_at }),
          ...present({ effect: payload.effect, risk: riskLevelOf(payload) ?? undefined }),
          ...(payload.child && { child: childField(payload.child) }),
        },
      ],
    ),
    ...changeToolCall(state, run, payload.tool_call_id, (path) => [
      setOperation([...path, 'approval'], { id: payload.request_id, status: 'pending' }),
    ]),
  ],

  approval_decided: (state, { run, payload }) => {
    const asked = state.approvals?.find((approval) => approval.id === payload.request_id)
    return [
      setOperation(
        ['approvals'],
        (state.approvals ?? []).filter((approval) => approval !== asked),
      ),
      ...changeToolCall(state, run, asked?.toolCallId ?? '', (path) => [
        setOperation([...path, 'approval'], {
          id: payload.request_id,
          status: payload.decision,
          ...givenAnswer(payload),
        }),
        ...(payload.arguments ? [setOperation([...path, 'arguments'], payload.arguments)] : []),
      ]),
    ]
  },

  artifact_published: (state, { run, payload }) =>
    bookkeeping.has(payload.kind ?? '')
      ? []
      : changeOpenAnswer(state, run, (message, path) => [
          setOperation([...path, 'parts', message.parts?.length ?? 0], {
            type: 'artifact',
            artifactId: payload.artifact_id,
            name: payload.name,
          }),
        ]),

  context_compacted: (state, { run, payload }) =>
    changeOpenAnswer(state, run, (message, path) => [
      setOperation([...path, 'parts', message.parts?.length ?? 0], {
        type: 'marker',
        kind: 'context_compacted',
        text: payload.summary ?? '',
      }),
    ]),

  output_superseded: (state, { run, payload: { keep, interrupted } }) =>
    (interrupted ? changeAnswer : changeOpenAnswer)(state, run, (message, path) =>
      keep
        ? [
            ...supersedeFrom(message, path, keep),
            ...(interrupted ? [setOperation([...path, 'stopReason'], INTERRUPTED)] : []),
          ]
        : supersedeMessage(message, path),
    ),

  cancel_requested: (state, { payload }) => {
    const index = answerIndex(state, payload.run_id)
    return index < 0 ? none : finishMessage(index, 'complete', stopReasonOf(state, index) ?? 'cancelled')
  },

  completed: (state, { run, payload }) =>
    changeOpenAnswer(state, run, (message, path) =>
      message.content === '' && typeof payload.result === 'string' && payload.result !== ''
        ? withResponse(message, path, payload.result)
        : none,
    ),

  error: (_state, { payload }) => [setOperation(['error'], payload.message)],

  failure_dismissed: (state) => (state.error === undefined ? none : [setOperation(['error'], '')]),

  turn_end: (state, { payload }) => {
    const index = answerIndex(state, payload.turn_id)
    if (index < 0) return none
    const stopReason =
      stopReasonOf(state, index) ?? payload.stop_reason ?? (payload.status === 'cancelled' ? 'cancelled' : undefined)
    const isFailed = payload.status === 'failed'
    return [
      ...finishMessage(index, isFailed ? 'error' : 'complete', stopReason),
      // The session error disappears with the next run; the answer keeps its own.
      ...(isFailed && state.error ? [setOperation(['messages', index, 'error'], state.error)] : []),
    ]
  },

  session_state: (state, { payload }) => [
    ...(state.status === transportStatus[payload.status]
      ? []
      : [setOperation(['status'], transportStatus[payload.status])]),
    setOperation(['sessionStatus'], payload.status),
  ],

  // The branch point may be in the middle of a turn; open work stays with the parent.
  branched: (state) => endOpenMessages(state, BRANCHED),
  session_imported: (state) => endOpenMessages(state, IMPORTED),
}

/** Drops waiting prompts and ends unfinished answers. */
const endOpenMessages = (state: HarnessState, reason: string): readonly DeltaOperation[] => [
  setOperation(
    ['messages'],
    state.messages
      .filter((message) => !(message.role === 'user' && message.status === 'pending'))
      .map((message) =>
        message.status === 'complete' || message.status === 'error'
          ? message
          : {
              ...message,
              status: 'complete',
              stopReason: reason,
              toolCalls: (message.toolCalls ?? []).map((call) =>
                call.status === 'running'
                  ? {
                      ...call,
                      status: 'error',
                      error: reason,
                      ...(call.approval?.status === 'pending' && {
                        approval: { ...call.approval, status: 'cancelled' },
                      }),
                    }
                  : call,
              ),
            },
      ),
  ),
  setOperation(['approvals'], []),
  ...(state.error ? [setOperation(['error'], '')] : []),
]

const transportStatus: { readonly [S in SessionStatus]: HarnessState['status'] } = {
  idle: 'idle',
  queued: 'running',
  running: 'running',
  awaiting_approval: 'running',
  paused: 'idle',
  recovering: 'running',
  completed: 'idle',
  failed: 'error',
  cancelled: 'idle',
}

const userMessage = (
  id: string,
  content: string,
  status: HarnessMessage['status'],
  runId: string,
  at: number,
): HarnessMessage => ({
  id,
  role: 'user',
  content,
  status,
  runId,
  createdAt: at,
})

/** Replaces a prompt that was truncated in the queue. */
const wholePrompt = (state: HarnessState, index: number, text: string | undefined): DeltaOperation[] => {
  const message = state.messages[index]
  if (message?.contentLength === undefined || text === undefined) return []
  const { contentLength: _known, ...rest } = message
  return [setOperation(['messages', index], { ...rest, content: text })]
}

/** There is no insert operation, so all later messages are set again. */
const insert = (state: HarnessState, index: number, message: HarnessMessage): DeltaOperation[] =>
  [message, ...state.messages.slice(index)].map((each, offset) => setOperation(['messages', index + offset], each))

const answerIndex = (state: HarnessState, run: string | undefined): number =>
  run === undefined
    ? -1
    : state.messages.findLastIndex((message) => message.role === 'assistant' && message.runId === run)

/** Searches from the end because the run is nearly always the newest. */
const promptIndex = ({ messages }: HarnessState, run: string | undefined): number => {
  let first = messages.findLastIndex((message) => message.role === 'user' && message.runId === run)
  // Messages of a run are adjacent.
  for (let at = first - 1; at >= 0 && messages[at]?.runId === run; at--) if (messages[at]?.role === 'user') first = at
  return first
}

type AnswerPath = readonly (string | number)[]

const INTERRUPTED = 'interrupted'
/** Interruption takes precedence over the way the turn ends. */
const stopReasonOf = (state: HarnessState, index: number): string | undefined =>
  state.messages[index]?.stopReason === INTERRUPTED ? INTERRUPTED : undefined

/** Includes finished answers. */
const changeAnswer: typeof changeOpenAnswer = (state, run, change) => {
  const index = answerIndex(state, run)
  const message = state.messages[index]
  return message ? change(message, ['messages', index]) : none
}

/** Finished answers do not change. */
const changeOpenAnswer = (
  state: HarnessState,
  run: string | undefined,
  change: (message: HarnessMessage, path: AnswerPath) => readonly DeltaOperation[],
): readonly DeltaOperation[] => {
  const index = answerIndex(state, run)
  const message = state.messages[index]
  if (!message || (message.status !== 'pending' && message.status !== 'streaming')) return none
  const changed = change(message, ['messages', index])
  if (changed.length === 0 || message.status === 'streaming') return changed
  return [setOperation(['messages', index, 'status'], 'streaming'), ...changed]
}

const appendReasoning = (state: HarnessState, run: string | undefined, text: string): readonly DeltaOperation[] =>
  changeOpenAnswer(state, run, (message, path) => {
    const at = message.parts?.length ?? 0
    const last = message.parts?.at(-1)
    if (last?.type === 'reasoning' && !last.superseded)
      return [appendTextOperation([...path, 'parts', at - 1, 'text'], text)]
    return [setOperation([...path, 'parts', at], { type: 'reasoning', text })]
  })

const changeToolCall = (
  state: HarnessState,
  run: string | undefined,
  id: string,
  change: (path: AnswerPath, call: HarnessToolCall) => readonly DeltaOperation[],
): readonly DeltaOperation[] => {
  const index = answerIndex(state, run)
  const calls = state.messages[index]?.toolCalls ?? []
  const at = calls.findLastIndex((each) => each.id === id && !each.superseded)
  const call = calls[at]
  return call ? change(['messages', index, 'toolCalls', at], call) : none
}

const finishMessage = (index: number, status: 'complete' | 'error', stopReason?: string): DeltaOperation[] => [
  setOperation(['messages', index, 'status'], status),
  ...(stopReason === undefined ? [] : [setOperation(['messages', index, 'stopReason'], stopReason)]),
]

/** Artifacts that the kernel publishes for a run; the conversation already has their content. */
const bookkeeping = new Set(['final_output', 'run_record', SPOKEN_AUDIO])
