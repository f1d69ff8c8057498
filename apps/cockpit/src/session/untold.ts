// The reports that an engine behind a bridge cannot make, in a sentence.
import type { ChatSession } from 'bridle/client'

type Capabilities = NonNullable<ChatSession['capabilities']>

const nouns = {
  tool_call: 'tool calls',
  thinking: 'thoughts',
  step_progress: 'plan steps',
  tool_selected: 'tool selection',
  retrieval: 'citations',
  antahkarana: 'guardrails',
  context_warning: 'context warnings',
  context_compacted: 'compactions',
  usage: 'tokens',
} as const

/** Null where the engine tells everything. */
export const untoldText = ({ events, features }: Capabilities): string | null => {
  const missing = Object.entries(nouns).flatMap(([type, noun]) =>
    events[type as keyof typeof nouns] === 'none' ? [`no ${noun}`] : [],
  )
  const limits = [
    missing.length > 0 ? `It tells ${joined(missing)}.` : '',
    features.cost ? '' : 'It tells no cost.',
    features.steer ? '' : 'It cannot be steered during a turn.',
  ].filter(Boolean)
  return limits.length === 0 ? null : limits.join(' ')
}

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
