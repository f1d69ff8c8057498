// The numbers of the connection to the server.

/** Rows of each live list: a screen shows thirty, and the pages of lists load more by themselves. */
export const LIST_ROWS = 100

/** Pages of open approvals that are read for their number: beyond a thousand the page says "1000+". */
export const APPROVAL_PAGES_MAX = 10

/** Time before lists that could not be loaded are asked for again: soon enough for a server that was busy for a moment. */
export const LIST_RETRY_MS = 2_000
