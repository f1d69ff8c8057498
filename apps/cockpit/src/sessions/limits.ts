// The numbers of the list of sessions.

/** Sessions of one request: a screen shows thirty, and a list of a hundred rows is drawn in one frame. */
export const PAGE_ROWS = 100

/** Pages that "Load more" reaches: beyond a thousand rows a search finds a session sooner than an eye. */
export const PAGES_MAX = 10

/** Time after the last key before a search is sent. */
export const SEARCH_PAUSE_MS = 150

/** Least time between two requests for a list that changes all the time. */
export const REFRESH_MS = 500

/** A score of this or less is shown as bad: half of all points are lost. */
export const LOW_SCORE = 50

/** Time for the stream of changes to bring what an act did: it sends at most four changes a second. */
export const SETTLE_MS = 1_000

/** Characters of the reason of a failure in a row, which has one line: the session's page has all of it. */
export const FAILURE_CHARS = 200

/** An attempt that is due sooner than this is said to come now: rows show whole seconds, late by some. */
export const RETRY_NOW_MS = 5_000
