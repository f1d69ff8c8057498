import type { Payloads } from '@bridle/events/schemas'
import { type SpeechAmount, speechCostUsd } from '@bridle/model-data/speech-prices'

/** Not a model of a run, so it gets a label of its own. */
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
