// The tokens of a response, for the loop and for charges.
import { type JsonObject, present } from '../../kernel/json.ts'
import type { Payloads } from '../../kernel/schemas.ts'
import { costUsd, listPriceOf } from '../../model-data/prices.ts'
import { AUDIO_TOKEN_MS } from '../limits.ts'
import { speechUsage } from '../speech-usage.ts'
import { TRANSCRIPTION_MODEL } from './openai/settings.ts'
import { countOf, objectOf } from './provider-json.ts'

/** Tokens as the interface of models has them; those of audio cost more. */
export const usageOf = ({ input_tokens, output_tokens, input_token_details, output_token_details }: JsonObject) => {
  const [input, output] = [objectOf(input_token_details), objectOf(output_token_details)]
  return {
    inputTokens: {
      total: countOf(input_tokens),
      cacheRead: countOf(input.cached_tokens),
      audio: countOf(input.audio_tokens),
      cachedAudio: countOf(objectOf(input.cached_tokens_details).audio_tokens),
    },
    outputTokens: { total: countOf(output_tokens), audio: countOf(output.audio_tokens) },
  }
}

/** The usage of a response that no run reports; null: the provider counted nothing. */
export const responseCharge = (usage: JsonObject, model: string): Payloads['usage'] | null => {
  const { inputTokens: input, outputTokens: output } = usageOf(usage)
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

/** The usage of the words of a turn, which a model of its own writes down. The provider counts seconds or tokens. */
export const transcriptionCharge = (usage: JsonObject, text: string): Payloads['usage'] => {
  const { seconds, input_token_details: details } = usage
  const tokens = countOf(objectOf(details).audio_tokens) ?? 0
  const audioMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : tokens * AUDIO_TOKEN_MS
  return speechUsage('transcription', TRANSCRIPTION_MODEL, { audioMs, chars: text.length })
}
