// What an answer used, read as it passes and never held up: a provider says it in the JSON, or in the stream's events.
// An answer that is cut before it says so is estimated from what passed, or leaving early would be free.

import type { ProviderName } from '../providers.ts'
import type { TokenUsage } from './prices.ts'

export interface UsageMeter {
  read(bytes: Uint8Array): void
  /** What was used, as far as the answer came. */
  total(): TokenUsage
}

/** An answer's one line or whole JSON; a larger one is passed on all the same, and estimated. */
const HELD_CHARS_MAX = 32 * 1024 * 1024
const CHARS_PER_TOKEN = 4

export const usageMeter = (
  provider: ProviderName,
  { isStream, requestBytes }: { readonly isStream: boolean; readonly requestBytes: number },
): UsageMeter => {
  const tally = new TokenCounter()
  const decoder = new TextDecoder()
  const note = usageReaders[provider]
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
    const event = text.startsWith('data:') ? parseProviderEvent(text.slice(5)) : null
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
      if (!isStream) note({ type: 'whole', whole: parseProviderEvent(take()) }, tally)
      return tally.total({ requestBytes, answerBytes: isStream ? 0 : bytesPassed })
    },
  }
}

class TokenCounter {
  #usage: Partial<TokenUsage> = {}
  #isFinal = false
  #deltaChars = 0

  /** Counts in a stream are of all so far: the largest is the last. */
  addCounts(usage: Partial<TokenUsage>, isFinal: boolean): void {
    const merged: { -readonly [K in keyof TokenUsage]?: number } = { ...this.#usage }
    for (const [name, count] of Object.entries(usage) as [keyof TokenUsage, number][]) {
      merged[name] = Math.max(merged[name] ?? 0, count)
    }
    this.#usage = merged
    this.#isFinal ||= isFinal
  }

  addText(text: unknown): void {
    if (typeof text === 'string') this.#deltaChars += text.length
  }

  total({ requestBytes, answerBytes }: { requestBytes: number; answerBytes: number }): TokenUsage {
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

type ProviderEvent = { readonly [name: string]: unknown }

const usageReaders: { readonly [P in ProviderName]: (event: ProviderEvent, tally: TokenCounter) => void } = {
  anthropic: (event, tally) => {
    const { type } = event
    if (type === 'message_start') tally.addCounts(anthropicUsage(objectIn(event.message).usage), false)
    if (type === 'message_delta') tally.addCounts(anthropicUsage(event.usage), true)
    if (type === 'whole') readWholeUsage(event, tally, anthropicUsage)
    if (type !== 'content_block_delta') return
    const delta = objectIn(event.delta)
    for (const name of ['text', 'thinking', 'partial_json']) tally.addText(delta[name])
  },
  openai: (event, tally) => {
    if (typeof event.type === 'string' && /^response\.(completed|incomplete|failed)$/.test(event.type)) {
      readWholeUsage({ whole: event.response }, tally, openaiUsage)
    }
    if (event.type === 'whole') readWholeUsage(event, tally, openaiUsage)
    tally.addText(event.delta)
  },
}

const readWholeUsage = (
  event: ProviderEvent,
  tally: TokenCounter,
  usageOf: (usage: unknown) => Partial<TokenUsage>,
) => {
  const usage = usageOf(objectIn(event.whole).usage)
  tally.addCounts(usage, usage.outputTokens !== undefined)
}

const anthropicUsage = (said: unknown): Partial<TokenUsage> => {
  const usage = objectIn(said)
  return validCounts({
    inputTokens: usage.input_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWriteTokens: usage.cache_creation_input_tokens,
    cacheWriteHourTokens: objectIn(usage.cache_creation).ephemeral_1h_input_tokens,
    outputTokens: usage.output_tokens,
  })
}

/** Here what was cached is part of the input. */
const openaiUsage = (said: unknown): Partial<TokenUsage> => {
  const usage = objectIn(said)
  const {
    inputTokens,
    cacheReadTokens = 0,
    ...rest
  } = validCounts({
    inputTokens: usage.input_tokens,
    cacheReadTokens: objectIn(usage.input_tokens_details).cached_tokens,
    outputTokens: usage.output_tokens,
  })
  return {
    ...rest,
    ...(inputTokens !== undefined && { inputTokens: Math.max(0, inputTokens - cacheReadTokens), cacheReadTokens }),
  }
}

const validCounts = (counts: { readonly [K in keyof TokenUsage]?: unknown }): Partial<TokenUsage> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isFinite(count) && (count as number) >= 0))

const objectIn = (value: unknown): ProviderEvent =>
  typeof value === 'object' && value !== null ? (value as ProviderEvent) : {}

const parseProviderEvent = (text: string): ProviderEvent | null => {
  try {
    return objectIn(JSON.parse(text))
  } catch {
    return null
  }
}
