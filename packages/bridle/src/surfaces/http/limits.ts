// Every limit of the HTTP surface, with a line on why that number. Those of the kernel are in kernel/limits.ts.

/** Settings of a file that an answer names, and the length of a name: a file may have any. */
export const IGNORED_SETTINGS_MAX = 20
export const SETTING_NAME_CHARS_MAX = 64
/** The body of a request: above the largest command that the kernel takes, and small enough to hold in memory for many callers. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024
/** A message on a socket, which carries the same commands as a body. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024
/** The message of a denial that may quote the caller's text: enough to recognise it, and no echo of a large body. */
export const DENIAL_CHARS_MAX = 500
/** An id as a denial quotes it: any id that a session can have is whole. */
export const DENIAL_ID_CHARS_MAX = 128
/** The reason of a close frame, in UTF-8: the protocol of WebSockets leaves 123 bytes for it. */
export const CLOSE_REASON_BYTES_MAX = 123
/** Warnings in one answer: enough to see what is wrong with a request that has many. */
export const WARNINGS_MAX = 20
/** An unknown name as a warning shows it; no name of ours is nearly as long. */
export const WARNING_NAME_CHARS_MAX = 100
/** JSON up to this is hashed at once: a digest is made by another thread, which takes longer for a short text. */
export const SHORT_JSON_CHARS = 65_536
/** Hexadecimal digits of a tag: with 128 bits two texts of one session never share a tag. */
export const TAG_CHARS = 32
/** A browser asks again after ten minutes what a page of another origin may do: a changed list of origins counts soon. */
export const PREFLIGHT_SECONDS = 600

/** Callers that a rate limiter counts in one window: some 10 MB. With more callers all counts start again from zero. */
export const RATE_LIMIT_CALLERS_MAX = 100_000
/** Wrong tokens of one address: a person who mistypes needs a few, a guesser many thousands. */
export const TOKEN_BACKOFF = { windowMs: 60_000, maxFailures: 30 }
/** Requests of one address without a credential: a page that polls every 100 ms and a test that walks all routes stay below it. */
export const ANONYMOUS_LIMIT = { windowMs: 10_000, maxRequests: 1_000 }
/** Pairs of an address and a token that was right from there, some 1 MB. Beyond it the older half is forgotten. */
export const TRUSTED_CALLERS_MAX = 10_000
/** Time for an app's own check of a caller: a look into its database. A socket that waits for it counts as open. */
export const AUTHENTICATE_MS = 10_000
/** A ticket lives long enough to open a socket over a slow line, and is worthless when somebody reads it in a log. */
export const TICKET_MS = 30_000
export const TICKET_LIMITS = {
  /** Unused tickets of one credential in one tenant; beyond it that buyer's oldest goes. Each costs some 400 bytes. */
  buyerMax: 4_000,
  /** Unused tickets of all buyers; beyond it nobody gets one until some expire, so that no buyer can remove another's. */
  max: 40_000,
}
/** Random bytes of a token or ticket: 192 bits, beyond any guess. */
export const TOKEN_BYTES = 24

/** An event stream sends a comment this often: proxies give up a silent connection after 30 to 60 seconds. */
export const STREAM_HEARTBEAT_MS = 15_000
/** A restart takes a second or two. A reader that comes back earlier meets a proxy's 502, after which EventSource gives up. */
export const STREAM_RETRY_MS = 2_000
/** A stopping server sends this longer wait: all its readers come back at once, and the server needs time to stop. */
export const RESTART_RETRY_MS = 5_000
/** Unread bytes after which a stream waits for its reader: some hundred frames, and little per reader. */
export const STREAM_BUFFER_BYTES = 64 * 1024
/** Events looked through at a time, backwards, for `?replay=N`: a few pages for any usual N. */
export const REPLAY_PAGE = 2_000
/** Characters between two marks, some six hundred tokens: the answer to each mark is one more message to the server. */
export const MARK_CHARS = 64 * 1024

/** Entries on a page of a list whose caller names no number, as the stores have it. */
export const LIST_PAGE = 50
/** Sessions or approvals on one page, each of some hundred bytes to a few thousand. */
export const LIST_PAGE_MAX = 500
/** Entries of an audit on one page: a screenful by default; the most is read from the log without a noticeable wait. */
export const AUDIT_PAGE_DEFAULT = 50
export const AUDIT_PAGE_MAX = 200
/** Envelopes of a channel on one page: 1 MB bounds it before this number does, where payloads are large. */
export const CHANNEL_PAGE_MAX = 100
/** Events looked through for one page: a long text has thousands of pieces, and a page may come short of envelopes for them. */
export const CHANNEL_LOOKUP_MAX = 20_000
/** Entries of a log on one page: 100,000 events are 50 requests. */
export const LOG_PAGE_MAX = 2_000
/** Characters after which a page of a log ends, with the entries read so far: a browser parses 2 MB without a pause. */
export const LOG_PAGE_CHARS = 2_000_000
/** Characters of an export that are sent at once: a few pages of a log, and little per reader. */
export const EXPORT_BLOCK_CHARS = 64 * 1024
/** A file to import: the largest session that a server keeps, twice. It is in memory while it is checked. */
export const IMPORT_BYTES_MAX = 64 * 1024 * 1024
/** CPU time to check one file: about three times what the largest takes, and the end of one that was made to take hours. */
export const IMPORT_CPU_MS = 10_000
/** Clocks of two servers differ by less. A log that ends later would hold back the time of its session until then. */
export const IMPORT_AHEAD_MS = 24 * 60 * 60 * 1_000
/** A fold of one event takes as long as reading so many characters of a file, however long the event is. */
export const FOLD_CHARS = 200
/** Ids that are tried for a renamed session; somebody who has more copies gives them names. */
export const RENAMES_MAX = 100
/** Background sessions whose artifacts are listed with a chat, the newest: each is opened. */
export const BACKGROUND_SESSIONS_MAX = 20
/** Sessions in the answer about a tree: more lines than a page can draw. */
export const TREE_SESSIONS_MAX = 200
/** Sessions of a tree that are opened for their checkpoints and approvals: each one that nobody uses is read from the store. */
export const TREE_OPENED_MAX = 32
/** Checkpoints, and approvals, of each such session, the newest: marks on one line of a drawing. */
export const TREE_POINTS_MAX = 100
/** The path of a file in a workspace: as much as Linux takes in all. */
export const WORKSPACE_PATH_CHARS_MAX = 4_096

/** An uploaded file: a long scan or a set of photos, and less than a process notices when several arrive at once. */
export const UPLOAD_BYTES_MAX = 25 * 1000 * 1000
/** The name of an uploaded file: file systems take 255. */
export const FILENAME_CHARS_MAX = 255
/** A media type with its parameters: registered ones have less than 130 characters. */
export const MEDIA_TYPE_CHARS_MAX = 200
/** The time for one file that the server fetches: 25 MB at 15 Mbit/s, and well within the wait for an answer. */
export const FETCH_MS = 15_000
/** Fetched files are in memory until they are stored: eight are 200 MB. */
export const FETCHES_AT_ONCE_MAX = 8
/** A shared link redirects once or twice, to a bucket. */
export const REDIRECTS_MAX = 3
/** A title that a person gives a session: two lines of a list. */
export const SESSION_TITLE_CHARS_MAX = 200

/** Bounds of the time of requests, in seconds: most answers take milliseconds, one that waits for a run takes minutes. */
export const REQUEST_SECONDS = [0.01, 0.1, 1, 10, 60] as const
