// When a call of a model that failed is made again.
import { RETRY_AFTER_MS_MAX, RETRY_JITTER, RETRY_MS, TRIES_MAX } from './limits.ts'
import type { ModelError } from './model-error.ts'

/** Backoff before the next try of the same model, at least as long as the provider asks for; null: no further try. `tries` counts failed ones. */
export const retryDelay = (error: ModelError, tries: number, random: () => number = () => 0): number | null => {
  if (!error.retryable || tries >= TRIES_MAX) return null
  const backoffMs = RETRY_MS * 2 ** (tries - 1) * (1 + RETRY_JITTER * random())
  return Math.round(Math.max(backoffMs, Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)))
}
