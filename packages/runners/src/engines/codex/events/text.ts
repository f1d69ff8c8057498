// Messages and thinking of Codex, in deltas that a cut stream may take back.
import type { JsonObject } from '@bridle/events/json'
import type { RunnerEvent } from '../../../protocol/protocol.ts'
import { listOf, textIn } from './lenient-json.ts'
import type { CodexTurnState } from './turn-state.ts'

export const textDelta = (seen: CodexTurnState, id: string, text: string): RunnerEvent => {
  let shown = text
  if (seen.message?.id !== id) {
    // A message that was steered away from never completes; its text stands.
    seen.settledText += seen.message?.text ?? ''
    if (seen.settledText !== '' && !seen.isParted) shown = `\n\n${text}`
    seen.message = { id, text: '' }
  }
  seen.isParted = false
  seen.message.text += shown
  return { type: 'assistant.delta', text: shown }
}

export const messageCompleted = (id: string, whole: string | undefined, seen: CodexTurnState): RunnerEvent[] => {
  const events: RunnerEvent[] = []
  if (whole && seen.message?.id !== id) events.push(textDelta(seen, id, whole))
  const said = seen.message?.id === id ? seen.message.text : ''
  seen.message = null
  if (whole === undefined) return events
  seen.answer = whole
  if (said === whole || said === `\n\n${whole}`) seen.settledText += said
  else {
    seen.settledText += whole
    events.push({ type: 'assistant.text', text: seen.settledText })
  }
  return events
}

export const thinkingDelta = (params: JsonObject, seen: CodexTurnState): RunnerEvent[] => {
  const text = textIn(params, 'delta')
  if (!text) return []
  seen.streamedReasoning.add(textIn(params, 'itemId') ?? '')
  return [{ type: 'thinking.delta', text }]
}

export const reasoningCompleted = (
  id: string,
  { summary, content }: JsonObject,
  seen: CodexTurnState,
): RunnerEvent[] => {
  const said = [...listOf(summary), ...listOf(content)].filter((part) => typeof part === 'string')
  return seen.streamedReasoning.has(id) || said.length === 0
    ? []
    : [{ type: 'thinking.delta', text: said.join('\n\n') }]
}
