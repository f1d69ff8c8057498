// The approximate cost of speech: list prices of November 2026 in USD, good enough to stop a run at its limit.
import { matchesModel } from './prices.ts'

/** A service is paid by the length of its audio or of its text. */
export interface SpeechPrice {
  readonly perMinute?: number
  readonly perMillionChars?: number
}

/** An amount of speech, heard or spoken. */
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

/** Null: no row has the model, as with one that an operator runs. */
export const speechCostUsd = (model: string, { audioMs, chars }: SpeechAmount): number | null => {
  const price = rows.find(([pattern]) => matchesModel(pattern, model.slice(model.lastIndexOf('/') + 1)))?.[1]
  if (!price) return null
  const { perMinute = 0, perMillionChars = 0 } = price
  return (audioMs / 60_000) * perMinute + (chars / 1_000_000) * perMillionChars
}
