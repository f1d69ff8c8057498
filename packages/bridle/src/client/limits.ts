/** Prompts that wait for a connection: as many as a server queues, and more than a person writes. */
export const HELD_MAX = 100

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
