// Limits that operators change, or that several files share. The kernel has its own.

/** Sockets carry the same commands as bodies. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024
/** Enough to recognise the caller's quoted text, without echoing a large body. */
export const DENIAL_CHARS_MAX = 500
/** Far longer than any known name. */
export const WARNING_NAME_CHARS_MAX = 100

/** Enough to open a socket on a slow line, but worthless once read in a log. */
export const TICKET_MS = 30_000

/** Proxies drop silent connections after 30 to 60 seconds. */
export const STREAM_HEARTBEAT_MS = 15_000
/** Longer than usual, because all readers reconnect at once and the server needs time to stop. */
export const RESTART_RETRY_MS = 5_000

/** A row has a few hundred to a few thousand bytes. */
export const LIST_PAGE_MAX = 500

/** Enough for a long scan or a set of photos, and little enough to hold several in memory. */
export const UPLOAD_BYTES_MAX = 25 * 1000 * 1000
/** The limit of most file systems. */
export const FILENAME_CHARS_MAX = 255
