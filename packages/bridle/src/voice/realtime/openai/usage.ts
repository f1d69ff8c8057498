// The usage that OpenAI's API reports.
import type { JsonObject } from '../../../kernel/json.ts'
import { AUDIO_TOKEN_MS } from '../../limits.ts'
import type { ResponseUsage, Transcription } from '../provider.ts'
import { countOf, objectOf } from '../provider-json.ts'
import { TRANSCRIPTION_MODEL } from './encode.ts'

export const usageOf = ({
  input_tokens,
  output_tokens,
  input_token_details,
  output_token_details,
}: JsonObject): ResponseUsage => {
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

/** The API counts seconds or tokens. */
export const transcriptionOf = ({ seconds, input_token_details: details }: JsonObject): Transcription => {
  const tokens = countOf(objectOf(details).audio_tokens) ?? 0
  const audioMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : tokens * AUDIO_TOKEN_MS
  return { model: TRANSCRIPTION_MODEL, audioMs }
}
