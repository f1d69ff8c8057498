// Limits of the harness, with the reason for each number.

/** A busy machine may take seconds instead of milliseconds. Waiting longer than a minute tells nothing more. */
export const PATIENCE_MS = 60_000
/** Each look costs the server time that the runs need. */
export const POLL_MS = 10
