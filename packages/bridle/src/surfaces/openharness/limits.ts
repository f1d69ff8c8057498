// Every limit of the engine of OpenHarness, with a line on why that number.

/** How long an answer waits for its run: many proxies give up a silent request after 60 seconds. */
export const TURN_WAIT_MS = 50_000
/** Attempts to route a text whose question was answered by a concurrent request. */
export const REROUTES_MAX = 5
/** Hexadecimal digits of an id that is made from another: with 128 bits two of one tenant never meet. */
export const ID_DIGEST_CHARS = 32
/** An id of a request as a header: ids are short, and proxies refuse long headers. */
export const HEADER_ID_CHARS_MAX = 200
/** Attachments of one message: a person attaches a handful. */
export const ATTACHMENTS_MAX = 50
/** Files that the server fetches for one message, one after the other: a handful, and the shell still gets its answer in time. */
export const FETCHED_FILES_MAX = 5
/** The time for all files of one message; the answer to a shell waits 50 seconds. */
export const FETCHED_FILES_MS = 30_000
/** A field of an attachment: the longest signed address of a bucket is half of that, and the smallest picture is longer. */
export const REFERENCE_CHARS_MAX = 4_096
/** A name or an id of base64 letters alone: a longer one is a file that somebody put into the message. File systems take 255. */
export const ENCODED_CHARS_MAX = 255
/** A message on a screen that is read at a glance. The numbers are those of large print on a television and in a car. */
export const SMALL_SCREEN = { lines: 3, chars: 40 }
/** Time zones whose formats are kept, some 10 kB each: more than a server's users live in. */
export const TIME_ZONES_MAX = 200
/** Entries of execution feedback in one request: as many as a shell takes directives from one response. */
export const FEEDBACK_ENTRIES_MAX = 1_000
/** A text of execution feedback: names and codes, and never a sentence. */
export const FEEDBACK_TEXT_CHARS_MAX = 200
