// Runner event -> session events. The map is total: an event without a translation does not compile.

import type { EventType } from '@bridle/events/catalogue'
import { type Json, type JsonObject, present } from '@bridle/events/json'
import { parseQuestions, type QuestionRequest } from '@bridle/events/questions'
import { OUTCOME_TYPES, outcomeFactsIn, type Payloads } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { questionReport } from '@bridle/kernel/host/question-report'
import type { Digest } from '@bridle/kernel/ports/digest'
import { truncate } from '@bridle/kernel/text/truncate'
import type { RunnerEvent, RunnerEventOf, RunnerEventType } from '../protocol/protocol.ts'

/** An error or a reason that a person reads; results may have any size. */
const MESSAGE_CHARS_MAX = 100_000
/** Arguments that are shown whole: below the limit of a log entry. */
const ARGUMENTS_CHARS_MAX = 1_000_000

/** Facts from earlier events of the run that later ones do not repeat. */
export interface TranslationState {
  readonly toolNames: Map<string, string>
  /** The name of the engine's provider, for people. */
  readonly provider?: string
}

/** Text is left out: the reporter sends it as paced tokens. */
export const translateEvent = async (
  event: RunnerEvent,
  state: TranslationState,
  digest: Digest,
): Promise<readonly ReportItem[]> => (translations[event.type] as Translation<RunnerEvent>)(event, state, digest)

type Translation<E> = (
  event: E,
  state: TranslationState,
  digest: Digest,
) => readonly ReportItem[] | Promise<readonly ReportItem[]>

const translations: { readonly [T in RunnerEventType]: Translation<RunnerEventOf<T>> } = {
  // The server reported `started` itself, before the query.
  'run.started': () => [],
  // The session drops a report that says nothing new, and makes the notice of what is left out.
  'instructions.loaded': ({ files, left_out, ignored }) =>
    eventItems('instructions_loaded', { files, left_out, ignored }),
  'assistant.delta': ({ text }) => eventItems('token', { text }),
  'assistant.text': ({ text }) => eventItems('response', { text, so_far: true }),
  'thinking.delta': ({ text }) => eventItems('thinking', { text }),

  'tool.started': ({ toolName, toolUseId, input, effect, parentToolUseId }, { toolNames }) => {
    toolNames.set(toolUseId, toolName)
    return eventItems('tool_call', {
      name: toolName,
      arguments: boundedArguments(input ?? {}),
      tool_call_id: toolUseId,
      ...present({ effect, parent_tool_call_id: parentToolUseId }),
    })
  },

  'tool.completed': ({ toolUseId, toolName, outcome }, { toolNames }) => {
    const { status, result, error, reason, elapsedMs } = outcome
    const call = { tool_call_id: toolUseId, tool_name: toolName ?? toolNames.get(toolUseId) ?? 'tool' }
    const shown = result !== undefined && (status === 'ok' || status === 'artifact')
    return [
      ...(shown ? eventItems('tool_result', { ...call, result }) : []),
      ...eventItems('tool_outcome', {
        ...call,
        outcome_type: OUTCOME_TYPES[status],
        status,
        ...present({ elapsed_ms: elapsedMs, result, error: shortened(error), reason: shortened(reason) }),
        ...outcomeFactsIn(outcome),
      }),
    ]
  },

  'tool.batch': ({ toolUseIds }) => eventItems('tool_batch', { tool_call_ids: toolUseIds }),
  'tool.invalid': ({ toolUseId, toolName, error }) =>
    eventItems('tool_validation_error', { tool_call_id: toolUseId, tool_name: toolName, error }),

  'approval.required': async (event, _state, digest) => {
    const { toolUseId, toolName: tool, input, reason, expiresMs, fixed, kind } = event
    const call = { toolCallId: toolUseId, tool, arguments: input, reason, ...present({ expiresMs }) }
    // The kernel refuses a request that is not a question, and says why.
    if (kind === 'question') return [await questionReport(digest, call, askedQuestion(event))]
    return [{ type: 'ask', ...call, digest: await callDigest(digest, tool, input), ...(fixed && { fixed }) }]
  },

  'policy.decided': ({ subject, outcome, reason, source }) =>
    eventItems('policy_decision', { subject, outcome, ...present({ reason, source }) }),

  usage: ({ inputTokens, outputTokens, totalTokens, costUsd, contextUsagePct, model, estimated, total }) =>
    eventItems('usage', {
      ...present({ input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens }),
      ...(costUsd !== undefined && { cost_usd: total ? costUsd : Math.max(0, costUsd) }),
      ...present({ context_usage_pct: contextUsagePct, model }),
      ...(estimated && { estimated }),
    }),

  'context.warning': ({ message, kind, usagePct }) =>
    eventItems('context_warning', { message, ...present({ kind, usage_pct: usagePct }) }),

  compaction: ({ trigger, preTokens, postTokens, summarized, kept = 0, summary }) =>
    eventItems('context_compacted', {
      ...(trigger !== undefined && { trigger }),
      // The summary counts as one message.
      ...(summarized !== undefined && {
        original_count: summarized + kept,
        compacted_count: kept + 1,
        preserved_messages: kept,
      }),
      // A summary can be longer than the text that it replaces; then nothing was saved.
      ...(preTokens !== undefined && postTokens !== undefined && { tokens_saved: Math.max(0, preTokens - postTokens) }),
      ...(summary !== undefined && { summary }),
    }),

  'subagent.started': (event) => subagentItems(event, 'started'),
  'subagent.progress': (event) => subagentItems(event, 'running'),
  'subagent.completed': (event) => subagentItems(event, event.status),

  hook: ({ type: _type, toolUseId, ...rest }) =>
    eventItems('hook_event', { ...(rest as JsonObject), ...(toolUseId !== undefined && { tool_call_id: toolUseId }) }),

  retry: ({ attempt, maxRetries, delayMs, status, reason }, { provider }) =>
    eventItems('transport_diagnostic', {
      status: 'retrying',
      kind: 'provider_retry',
      ...(provider !== undefined && { provider_requested: provider, provider_actual: provider }),
      reason,
      failure_count: attempt,
      ...present({ max_retries: maxRetries, retry_delay_ms: delayMs, http_status: status ?? undefined }),
    }),

  'turn.tools': ({ tools }) => eventItems('turn_start_tools', { tools }),

  'sandbox.notice': ({ requestedBackend, resolvedBackend, isolation, reason }) =>
    eventItems('sandbox_notice', {
      requested_backend: requestedBackend,
      resolved_backend: resolvedBackend,
      isolation,
      ...present({ reason }),
    }),

  'run.resume': ({ resume }) => [{ type: 'resume', handle: resume }],

  'run.completed': ({ result, sessionId, resume }) => [
    { type: 'finished', ...present({ result, resume: resume ?? sessionId }) },
  ],

  'run.error': ({ message, reason, transient, resume }) => [
    {
      type: 'failed',
      message,
      // The kernel continues an interrupted run; why it was interrupted is in the message.
      ...(reason !== undefined && { reason: reason === 'server_away' ? 'interrupted' : reason }),
      ...present({ transient, resume }),
    },
  ],
}

const askedQuestion = ({ questions, schema, default: byDefault }: RunnerEventOf<'approval.required'>) => {
  const asked = present({ questions, schema, default: byDefault })
  const request = parseQuestions(asked)
  return 'problem' in request ? (asked as QuestionRequest) : request
}

const shortened = (text: string | undefined): string | undefined => text && truncate(text, MESSAGE_CHARS_MAX)

const boundedArguments = (input: JsonObject): JsonObject => {
  const text = JSON.stringify(input)
  if (text.length <= ARGUMENTS_CHARS_MAX) return input
  return { too_large_to_show: true, size: text.length, preview: truncate(text, 1_000) }
}

const eventItems = <T extends EventType>(type: T, payload: Payloads[T]): ReportItem[] => [
  { type: 'event', event: { type, payload: payload as Json } as Extract<ReportItem, { type: 'event' }>['event'] },
]

const subagentItems = (
  { agentId, summary, ...rest }: { agentId: string; summary?: string | undefined; [more: string]: unknown },
  status: string,
): ReportItem[] => {
  const { agentType, toolUseId } = rest as { agentType?: string; toolUseId?: string }
  return eventItems('subagent_event', {
    agent_id: agentId,
    status,
    ...present({ summary, agent_type: agentType, tool_call_id: toolUseId }),
  })
}
