// Counts the tokens of an answer while it streams through, without delaying it. A provider reports them in the JSON or in the
// events of a stream. The meter estimates an answer that was cut before that report: otherwise leaving early would be free.

import { tryOr } from '@bridle/kernel/try-or'
import type { TokenUsage } from '@bridle/model-data/prices'
import type { ProviderEvent, UsageCounter } from '../providers/provider.ts'
import { objectIn } from '../providers/usage-fields.ts'
import { type ProviderName, providers } from '../providers.ts'

/**
 * The longest line or whole answer that the meter reads, as large as the largest request. A larger one is passed on and
 * estimated.
 */
const METERED_CHARS_MAX = 32 * 1024 * 1024
/** English text has about four characters per token; estimates need no better number. */
const CHARS_PER_TOKEN = 4

export interface UsageMeter {
  read(bytes: Uint8Array): void
  /** The usage of the part of the answer that arrived. */
  total(): TokenUsage
}

export const usageMeter = (
  provider: ProviderName,
  { isStream, requestBytes }: { readonly isStream: boolean; readonly requestBytes: number },
): UsageMeter => {
  const tally = new TokenCounter()
  const decoder = new TextDecoder()
  const { readUsage } = providers[provider]
  let held: string[] = []
  let heldChars = 0
  let bytesPassed = 0

  const hold = (text: string) => {
    heldChars += text.length
    if (heldChars <= METERED_CHARS_MAX) held.push(text)
  }
  const take = (): string => {
    const text = heldChars <= METERED_CHARS_MAX ? held.join('') : ''
    held = []
    heldChars = 0
    return text
  }
  const line = (text: string) => {
    const event = text.startsWith('data:') ? parseProviderEvent(text.slice(5)) : null
    if (event) readUsage(event, tally)
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
      if (!isStream) readUsage({ type: 'whole', whole: parseProviderEvent(take()) }, tally)
      return tally.total({ requestBytes, answerBytes: isStream ? 0 : bytesPassed })
    },
  }
}

class TokenCounter implements UsageCounter {
  #usage: Partial<TokenUsage> = {}
  #isFinal = false
  #deltaChars = 0

  /** Counts in a stream are running totals, so the largest is the last. */
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

const parseProviderEvent = (text: string): ProviderEvent | null => tryOr(null, () => objectIn(JSON.parse(text)))
