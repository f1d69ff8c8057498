/** Prompts that wait for a connection: as many as a server queues, and more than a person writes. */
export const HELD_MAX = 100

/** The first wait before such a retry, doubling up to the second number, after which a person would give up. */
export const RETRY_BASE_MS = 250
export const RETRY_MAX_MS = 10_000
