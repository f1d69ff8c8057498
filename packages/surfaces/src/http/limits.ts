// Every limit of the HTTP surface, with a line on why that number. Those of the kernel are in kernel/limits.ts.

/** A message on a socket, which carries the same commands as a body. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024
/** The message of a denial that may quote the caller's text: enough to recognise it, and no echo of a large body. */
export const DENIAL_CHARS_MAX = 500
/** An unknown name as a warning shows it; no name of ours is nearly as long. */
export const WARNING_NAME_CHARS_MAX = 100

/** A ticket lives long enough to open a socket over a slow line, and is worthless when somebody reads it in a log. */
export const TICKET_MS = 30_000

/** An event stream sends a comment this often: proxies give up a silent connection after 30 to 60 seconds. */
export const STREAM_HEARTBEAT_MS = 15_000
/** A stopping server sends this longer wait: all its readers come back at once, and the server needs time to stop. */
export const RESTART_RETRY_MS = 5_000

/** Sessions or approvals on one page, each of some hundred bytes to a few thousand. */
export const LIST_PAGE_MAX = 500

/** An uploaded file: a long scan or a set of photos, and less than a process notices when several arrive at once. */
export const UPLOAD_BYTES_MAX = 25 * 1000 * 1000
/** The name of an uploaded file: file systems take 255. */
export const FILENAME_CHARS_MAX = 255
