// Words about the people who act.

/** The credential names no user, so the name is what the caller sent. */
export const CLAIMED = '(not signed in)'
