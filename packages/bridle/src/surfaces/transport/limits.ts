/** Commands in one message: a person sends one, a client that was offline a few. More is a mistake or an attack. */
export const COMMANDS_MAX = 100

/** Deltas kept for clients that resume: some seconds of a fast reply. A client further behind gets the state. */
export const DELTAS_MAX = 500
/** Characters of those deltas: a session with large tool results must not keep megabytes for clients that may not return. */
export const DELTA_CHARS_MAX = 1_000_000

/** Deltas are kept this long after the last client left: a client whose connection broke is back by then. */
export const FEED_KEEP_MS = 30_000

/** Characters of a tool's name in a hint: an agent chose the name. */
export const HINT_NAME_CHARS_MAX = 200
/** Ids of waits kept with a hibernated socket, which has room for 2 KB. */
export const HIBERNATED_HINTS_MAX = 32
/** Characters of a page of an encoded state. A page blocks the event loop for a few milliseconds. */
export const ENCODED_PAGE_CHARS = 64_000
