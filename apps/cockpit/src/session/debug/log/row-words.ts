// The payload of a row in a few words.
import type { LogEntry } from 'bridle/history'
import { costText, durationText, exactCountText, plural } from 'bridle/words'
import { argumentSummary } from '../../../ui/arguments/argument-parts.ts'
import { secondText } from '../../../ui/clock.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import { ROW_CHARS } from '../limits.ts'

type Payload = LogEntry['payload']

export const rowWords = (entry: LogEntry, text: string | null = null): string => {
  if (entry.withheld) return 'withheld by the server'
  const words = text === null ? wordsOf(entry) : quoted(text)
  return visibleText(words.slice(0, ROW_CHARS).replace(/\s+/g, ' ').trim())
}

const wordsOf = ({ type, payload }: LogEntry): string =>
  (Object.hasOwn(texts, type) ? texts[type]?.(payload) : null) || anyWords(payload)

const texts: { readonly [type: string]: (payload: Payload) => string } = {
  token: ({ text }) => quoted(text),
  thinking: ({ text }) => quoted(text),
  reflection: ({ text }) => quoted(text),
  response: ({ text }) => quoted(text),
  session_state: ({ status, approval_request_id: approval }) => list(status, approval),
  session_checkpoint: ({ checkpoint_type: type, status, summary_text: summary }) => `${list(type, status)}: ${summary}`,
  tool_call: ({ name, arguments: args }) => `${name} ${summaryOf(args)}`,
  tool_result: ({ tool_name: tool, result }) => `${tool ?? ''} ${plain(result)}`,
  tool_outcome: ({ tool_name: tool, status, outcome_type: type, elapsed_ms: ms, error }) =>
    list(
      `${tool} ${status === 'ok' ? 'ok' : `${status} ${type}`}`,
      error,
      ms === undefined ? null : durationText(Number(ms)),
    ),
  tool_batch: ({ wave, mode, tool_call_ids: calls }) =>
    list(wave === undefined ? null : `wave ${wave}`, mode, Array.isArray(calls) ? plural(calls.length, 'call') : null),
  tool_selected: ({ tool_name: tool, reason }) => list(tool, reason),
  tool_validation_error: ({ tool_name: tool, error, repaired }) => list(tool, error, repaired ? 'repaired' : null),
  approval_required: ({ request_id: id, tool_name: tool, expires_at: expires }) =>
    list(`${id} ${tool}`, typeof expires === 'string' ? `expires ${secondText(expires)}` : null),
  approval_applied: ({ request_id: id, tool_name: tool, decision, actor }) =>
    list(`${id} ${tool}`, decision, actor && `by ${actor}`),
  usage: ({ total_tokens: tokens, cost_usd: cost, context_usage_pct: pct }) =>
    list(
      tokens === undefined ? null : `${exactCountText(Number(tokens))} tokens`,
      typeof cost === 'number' ? costText(cost) : null,
      pct === undefined ? null : `context ${pct} %`,
    ),
  context_compacted: ({ original_count: before, compacted_count: after, tokens_saved: saved, summary }) =>
    list(
      before === undefined ? null : `${before} to ${after}`,
      saved === undefined ? null : `${exactCountText(Number(saved))} tokens saved`,
      summary,
    ),
  policy_decision: ({ subject, outcome, reason }) => list(`${subject} ${outcome}`, reason),
  hook_event: ({ hook, phase, status }) => [hook, phase, status].filter(Boolean).join(' '),
  sandbox_notice: ({ requested_backend: requested, resolved_backend: resolved, isolation, reason }) =>
    list(requested === resolved ? resolved : `${requested} to ${resolved}`, isolation, reason),
  transport_diagnostic: ({ status, kind, reason, failure_count: failures }) =>
    list(`${status}: ${kind}`, reason, typeof failures === 'number' ? plural(failures, 'failure') : null),
  subagent_event: ({ agent_id: agent, status, session_id: session }) => list(`${agent} ${status}`, session),
  step_progress: ({ step_id: step, status, title, summary }) =>
    list(`${step ?? ''} ${status ?? ''}`.trim(), title ?? summary),
  turn_start: ({ turn_id: turn, prompt }) => `${turn} ${quoted(prompt)}`,
  prompt_queued: ({ text }) => quoted(text),
  error: ({ message }) => String(message),
}

const quoted = (text: unknown): string => `“${String(text ?? '')}”`

const list = (...parts: readonly unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(', ')

const summaryOf = (args: unknown): string =>
  typeof args === 'object' && args !== null && !Array.isArray(args) ? argumentSummary(args as Payload) : ''

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value)?.slice(0, ROW_CHARS) ?? '')

/** A type without words of its own: its fields as they come. */
const anyWords = (payload: Payload): string =>
  Object.entries(payload)
    .slice(0, 6)
    .map(([name, value]) => `${name} ${plain(value)}`)
    .join(', ')
