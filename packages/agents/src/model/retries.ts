// When a call of a model that failed is made again.
import type { ModelError } from './model-error.ts'

/** Calls of one model for one step. A provider that fails three times in a row is down, and the next model may not be. */
const TRIES_MAX = 3
/** The wait before the second try; it doubles with each further one. */
const RETRY_MS = 1_000
/** The share of a wait that is left to chance, so that many sessions do not come back at the same moment. */
const RETRY_JITTER = 0.25
/** The longest wait that a provider may ask for: a person watches, and the next model may answer at once. */
const RETRY_AFTER_MS_MAX = 60_000

/** Backoff before the next try of the same model, at least as long as the provider asks for; null: no further try. `tries` counts failed ones. */
export const retryDelay = (error: ModelError, tries: number, random: () => number = () => 0): number | null => {
  if (!error.retryable || tries >= TRIES_MAX) return null
  const backoffMs = RETRY_MS * 2 ** (tries - 1) * (1 + RETRY_JITTER * random())
  return Math.round(Math.max(backoffMs, Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)))
}
