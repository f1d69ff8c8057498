// What codex says to the person: messages and thought, in pieces that a cut stream may take back.
import type { JsonObject } from '../../../../kernel/json.ts'
import type { RunnerEvent } from '../../../protocol.ts'
import { listOf, textIn } from '../lenient-json.ts'
import type { Seen } from './turn-state.ts'

export const delta = (seen: Seen, id: string, text: string): RunnerEvent => {
  let shown = text
  if (seen.message?.id !== id) {
    // One that was steered away from never ends: what it said stands.
    seen.settled += seen.message?.text ?? ''
    if (seen.settled !== '' && !seen.parted) shown = `\n\n${text}`
    seen.message = { id, text: '' }
  }
  seen.parted = false
  seen.message.text += shown
  return { type: 'assistant.delta', text: shown }
}

export const message = (id: string, whole: string | undefined, seen: Seen): RunnerEvent[] => {
  const events: RunnerEvent[] = []
  if (whole && seen.message?.id !== id) events.push(delta(seen, id, whole))
  const said = seen.message?.id === id ? seen.message.text : ''
  seen.message = null
  if (whole === undefined) return events
  seen.answer = whole
  if (said === whole || said === `\n\n${whole}`) seen.settled += said
  else {
    seen.settled += whole
    events.push({ type: 'assistant.text', text: seen.settled })
  }
  return events
}

export const thinking = (params: JsonObject, seen: Seen): RunnerEvent[] => {
  const text = textIn(params, 'delta')
  if (!text) return []
  seen.thought.add(textIn(params, 'itemId') ?? '')
  return [{ type: 'thinking.delta', text }]
}

export const reasoned = (id: string, { summary, content }: JsonObject, seen: Seen): RunnerEvent[] => {
  const said = [...listOf(summary), ...listOf(content)].filter((part) => typeof part === 'string')
  return seen.thought.has(id) || said.length === 0 ? [] : [{ type: 'thinking.delta', text: said.join('\n\n') }]
}
