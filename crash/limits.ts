// Limits of the harness, with the reason for each number.

/** A busy machine takes seconds for what takes milliseconds otherwise; after a minute nobody knows more by waiting. */
export const PATIENCE_MS = 60_000
/** Each look costs the server time that the runs need. */
export const POLL_MS = 10
