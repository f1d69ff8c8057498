/** As many as a server queues, and more than a person writes. */
export const HELD_MAX = 100

/** Exponential backoff between retries, up to the wait at which a person would give up. */
export const RETRY_BASE_MS = 250
export const RETRY_MAX_MS = 10_000
