// The usage of speech for the log: amounts, and the cost where a table has the price.
import type { Payloads } from '@bridle/events/schemas'
import { type SpeechAmount, speechCostUsd } from '@bridle/model-data/speech-prices'

/** The model is no model of a run, so that it stands under a name of its own. */
export const speechUsage = (
  kind: 'transcription' | 'synthesis',
  model: string,
  amount: SpeechAmount,
): Payloads['usage'] => {
  const cost = speechCostUsd(model, amount)
  return {
    ...(cost !== null && { cost_usd: cost, estimated: true }),
    speech: { kind, model, audio_ms: Math.round(amount.audioMs), characters: amount.chars },
  }
}
