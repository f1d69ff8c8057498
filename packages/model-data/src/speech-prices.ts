// Approximate cost of speech in USD, from list prices of November 2026. Used to enforce limits.
import { matchesModel } from './prices.ts'

/** Services charge by audio length or by text length. */
export interface SpeechPrice {
  readonly perMinute?: number
  readonly perMillionChars?: number
}

export interface SpeechAmount {
  readonly audioMs: number
  readonly chars: number
}

const rows: readonly (readonly [pattern: string, price: SpeechPrice])[] = [
  ['gpt-4o-mini-transcribe*', { perMinute: 0.003 }],
  ['gpt-4o*-transcribe*', { perMinute: 0.006 }],
  ['whisper-1', { perMinute: 0.006 }],
  ['gpt-4o-mini-tts*', { perMinute: 0.015 }],
  ['tts-1-hd*', { perMillionChars: 30 }],
  ['tts-1*', { perMillionChars: 15 }],
]

/** Null for an unknown model, such as a self-hosted one. */
export const speechCostUsd = (model: string, { audioMs, chars }: SpeechAmount): number | null => {
  const price = rows.find(([pattern]) => matchesModel(pattern, model.slice(model.lastIndexOf('/') + 1)))?.[1]
  if (!price) return null
  const { perMinute = 0, perMillionChars = 0 } = price
  return (audioMs / 60_000) * perMinute + (chars / 1_000_000) * perMillionChars
}
