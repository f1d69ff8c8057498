// What an answer used, read as it passes and never held up: a provider says it in the JSON, or in the stream's events.
// An answer that is cut before it says so is estimated from what passed, or leaving early would be free.

import type { ProviderName } from '../providers.ts'
import type { Usage } from './prices.ts'

export interface UsageMeter {
  read(bytes: Uint8Array): void
  /** What was used, as far as the answer came. */
  total(): Usage
}

/** An answer's one line or whole JSON; a larger one is passed on all the same, and estimated. */
const HELD_CHARS_MAX = 32 * 1024 * 1024
const CHARS_PER_TOKEN = 4

export const usageMeter = (
  provider: ProviderName,
  { isStream, requestBytes }: { readonly isStream: boolean; readonly requestBytes: number },
): UsageMeter => {
  const tally = new Tally()
  const decoder = new TextDecoder()
  const note = notes[provider]
  let held: string[] = []
  let heldChars = 0
  let bytesPassed = 0

  const hold = (text: string) => {
    heldChars += text.length
    if (heldChars <= HELD_CHARS_MAX) held.push(text)
  }
  const take = (): string => {
    const text = heldChars <= HELD_CHARS_MAX ? held.join('') : ''
    held = []
    heldChars = 0
    return text
  }
  const line = (text: string) => {
    const event = text.startsWith('data:') ? parsed(text.slice(5)) : null
    if (event) note(event, tally)
  }

  return {
    read(bytes) {
      bytesPassed += bytes.byteLength
      const text = decoder.decode(bytes, { stream: true })
      if (!isStream) return hold(text)
      const lines = text.split('\n')
      for (const part of lines.slice(0, -1)) {
        hold(part)
        line(take())
      }
      hold(lines.at(-1) ?? '')
    },
    total() {
      if (!isStream) note({ type: 'whole', whole: parsed(take()) }, tally)
      return tally.total({ requestBytes, answerBytes: isStream ? 0 : bytesPassed })
    },
  }
}

class Tally {
  #usage: Partial<Usage> = {}
  #isFinal = false
  #deltaChars = 0

  /** Counts in a stream are of all so far: the largest is the last. */
  counted(usage: Partial<Usage>, isFinal: boolean): void {
    const merged: { -readonly [K in keyof Usage]?: number } = { ...this.#usage }
    for (const [name, count] of Object.entries(usage) as [keyof Usage, number][]) {
      merged[name] = Math.max(merged[name] ?? 0, count)
    }
    this.#usage = merged
    this.#isFinal ||= isFinal
  }

  passed(text: unknown): void {
    if (typeof text === 'string') this.#deltaChars += text.length
  }

  total({ requestBytes, answerBytes }: { requestBytes: number; answerBytes: number }): Usage {
    const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, cacheWriteHourTokens = 0 } = this.#usage
    const estimate = Math.ceil((this.#deltaChars || answerBytes) / CHARS_PER_TOKEN)
    return {
      inputTokens: inputTokens ?? Math.ceil(requestBytes / CHARS_PER_TOKEN),
      cacheReadTokens,
      cacheWriteTokens,
      cacheWriteHourTokens,
      outputTokens: Math.max(this.#usage.outputTokens ?? 0, this.#isFinal ? 0 : estimate),
    }
  }
}

type Loose = { readonly [name: string]: unknown }

const notes: { readonly [P in ProviderName]: (event: Loose, tally: Tally) => void } = {
  anthropic: (event, tally) => {
    const { type } = event
    if (type === 'message_start') tally.counted(anthropicUsage(within(event.message).usage), false)
    if (type === 'message_delta') tally.counted(anthropicUsage(event.usage), true)
    if (type === 'whole') whole(event, tally, anthropicUsage)
    if (type !== 'content_block_delta') return
    const delta = within(event.delta)
    for (const name of ['text', 'thinking', 'partial_json']) tally.passed(delta[name])
  },
  openai: (event, tally) => {
    if (typeof event.type === 'string' && /^response\.(completed|incomplete|failed)$/.test(event.type)) {
      whole({ whole: event.response }, tally, openaiUsage)
    }
    if (event.type === 'whole') whole(event, tally, openaiUsage)
    tally.passed(event.delta)
  },
}

const whole = (event: Loose, tally: Tally, usageOf: (usage: unknown) => Partial<Usage>) => {
  const usage = usageOf(within(event.whole).usage)
  tally.counted(usage, usage.outputTokens !== undefined)
}

const anthropicUsage = (said: unknown): Partial<Usage> => {
  const usage = within(said)
  return known({
    inputTokens: usage.input_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWriteTokens: usage.cache_creation_input_tokens,
    cacheWriteHourTokens: within(usage.cache_creation).ephemeral_1h_input_tokens,
    outputTokens: usage.output_tokens,
  })
}

/** Here what was cached is part of the input. */
const openaiUsage = (said: unknown): Partial<Usage> => {
  const usage = within(said)
  const {
    inputTokens,
    cacheReadTokens = 0,
    ...rest
  } = known({
    inputTokens: usage.input_tokens,
    cacheReadTokens: within(usage.input_tokens_details).cached_tokens,
    outputTokens: usage.output_tokens,
  })
  return {
    ...rest,
    ...(inputTokens !== undefined && { inputTokens: Math.max(0, inputTokens - cacheReadTokens), cacheReadTokens }),
  }
}

const known = (counts: { readonly [K in keyof Usage]?: unknown }): Partial<Usage> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isFinite(count) && (count as number) >= 0))

const within = (value: unknown): Loose => (typeof value === 'object' && value !== null ? (value as Loose) : {})

const parsed = (text: string): Loose | null => {
  try {
    return within(JSON.parse(text))
  } catch {
    return null
  }
}
