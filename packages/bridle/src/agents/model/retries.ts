// When a call of a model that failed is made again.
import { RETRY_AFTER_MS_MAX, RETRY_JITTER, RETRY_MS, TRIES_MAX } from './limits.ts'
import type { ModelError } from './model-error.ts'

/**
 * The wait before the next try of the same model; null where there is none. `tries` counts the tries that failed. The wait is at
 * least the one that the provider asks for, up to a limit. `random` gives 0 to 1.
 */
export const retryDelay = (error: ModelError, tries: number, random: () => number = () => 0): number | null => {
  if (!error.retryable || tries >= TRIES_MAX) return null
  const backoffMs = RETRY_MS * 2 ** (tries - 1) * (1 + RETRY_JITTER * random())
  return Math.round(Math.max(backoffMs, Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)))
}
