import { present } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import { costUsd, listPriceOf } from '@bridle/model-data/prices'
import type { ResponseUsage } from './provider.ts'

export const NO_USAGE: ResponseUsage = {
  inputTokens: { total: undefined, cacheRead: undefined, audio: undefined, cachedAudio: undefined },
  outputTokens: { total: undefined, audio: undefined },
}

export const responseCharge = (
  { inputTokens: input, outputTokens: output }: ResponseUsage,
  model: string,
): Payloads['usage'] | null => {
  if (!input.total && !output.total) return null
  const [inputTokens, outputTokens, cacheReadTokens] = [input.total ?? 0, output.total ?? 0, input.cacheRead ?? 0]
  const price = listPriceOf(model)
  const spent = {
    ...{ outputTokens, cacheReadTokens, cacheWriteTokens: 0, cacheWriteHourTokens: 0 },
    inputTokens: Math.max(0, inputTokens - cacheReadTokens),
  }
  const cachedAudio = input.cachedAudio ?? 0
  const audio = {
    inputTokens: Math.max(0, (input.audio ?? 0) - cachedAudio),
    ...{ cacheReadTokens: cachedAudio, outputTokens: output.audio ?? 0 },
  }
  return present({
    ...{ input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens, model },
    cost_usd: price ? costUsd(spent, price, audio) : undefined,
    estimated: price ? true : undefined,
  })
}
