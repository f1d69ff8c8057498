/** Prompts that wait for a connection: as many as a server queues, and more than a person writes. */
export const HELD_MAX = 100
/** Characters of prompts that a page keeps for its next load: browsers give 5 MB to all of an origin. */
export const KEPT_CHARS_MAX = 1_000_000

/** A session that stopped is open again within a second; after five seconds the command fails, and its caller decides. */
export const UNAVAILABLE_MS = 1_000
export const UNAVAILABLE_MAX = 5

/** Browsers stop animation frames in hidden tabs. Four updates a second keep such a tab current at little cost. */
export const HIDDEN_MS = 250

/** A request that hangs must not keep a client from its next try. */
export const ANSWER_MS = 10_000

/** A file of 25 MB at two megabits a second. */
export const UPLOAD_MS = 120_000

/** Heartbeats without a message from the server: a single one may be lost, a second means a dead connection. */
export const MISSES_MAX = 2

/** Messages that wait for the first connection of a Fabric socket: more come from a loop that ignores the answers. */
export const EARLY_MAX = 100

/** Entries in a list of the frontend state, such as the timeline: several screens of them, and bounded in a long session. */
export const LIST_MAX = 500

/** Audio that waits for the first connection of a voice line: five seconds of pcm16, longer than a connection takes. */
export const VOICE_EARLY_BYTES_MAX = 240_000

/** Audio of one frame of a voice line: half a second of pcm16, an even number of bytes and below the frame limit of every server. */
export const VOICE_FRAME_BYTES = 24_000

/** Audio that the network has not taken yet: four seconds of pcm16. Later audio would come too late for a conversation. */
export const VOICE_UNSENT_BYTES_MAX = 192_000

/** Events of a voice line that wait for their reader: minutes of audio. A reader that is so far behind does not come back. */
export const VOICE_EVENTS_MAX = 10_000

/** Attempts to submit a run while the server cannot be reached: some seconds, the time of a restart. */
export const SUBMIT_TRIES_MAX = 5
/** The first wait before such a retry, doubling up to the second number, after which a person would give up. */
export const RETRY_BASE_MS = 250
export const RETRY_MAX_MS = 10_000

/** Threads on a page of a list: more than a side bar shows. */
export const THREADS_PAGE = 50
/** Threads per request when a longer list is loaded again: the most that a server gives. */
export const THREADS_PAGE_MAX = 500
