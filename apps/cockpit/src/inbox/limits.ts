// Limits of the inbox.

/** Less time than this until it expires counts as expiring in the filter: long enough to answer several in a row. */
export const EXPIRING_SOON_MS = 5 * 60_000
/** The history shows answers that are not older than this. */
export const DECIDED_MS = 60 * 60_000
/** Answers in the history: a screenful. */
export const DECIDED_MAX = 30
/** Rows of approvals at first, and with each "Show more": a screen shows ten. */
export const ROWS_STEP = 100
/** Characters of a row: the card has all. */
export const ROW_CHARS = 200
