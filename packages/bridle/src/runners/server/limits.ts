// Limits of the sandbox runner, with the reason for each number.

/** A model that thinks reports something within minutes; an engine that is silent for ten, with no call open, hangs. */
export const STALL_MS = 600_000
/** The longest useful runs take hours; a run of half a day is a loop. */
export const RUN_MS = 12 * 3_600_000
/** Timeouts of minutes need no finer clock. */
export const TIMEOUT_CHECK_MS = 500
/**
 * An interrupted engine may take this long before its process is ended. Shorter than the time that a session gives an
 * abort.
 */
export const INTERRUPT_MS = 1_500
/** An engine opens within seconds; on a cold disk and a busy machine it takes a minute. */
export const OPEN_MS = 60_000
/** A killed engine is gone within milliseconds; nothing waits longer for one that is not. */
export const CLOSE_MS = 3_000
/** Two refusals in a row are no accident, and engines would retry for minutes. */
export const KEY_REFUSALS_MAX = 2
/** Text that no reader has taken yet: some minutes of output. Above it the engine waits. */
export const UNREAD_CHARS_MAX = 4_000_000
/** Read frames that are kept for a reader who reconnects without having acknowledged anything. */
export const KEPT_CHARS_MAX = 8_000_000
/** Frames are dropped in batches: dropping each one alone would move the array for every frame. */
export const TRIM_FRAMES = 1_000
/** Arguments that a person may be asked to approve: below the limit of a log entry. */
export const APPROVAL_INPUT_CHARS_MAX = 1_000_000
/** Proxies close streams that are silent for 30 or 60 seconds. */
export const RUNNER_HEARTBEAT_MS = 15_000
/** A prompt has at most 1.5 million characters; with settings and variables it fits many times. */
export const RUNNER_BODY_BYTES_MAX = 8 * 1024 * 1024
/** A server restarts within minutes; a run that nobody follows for ten is abandoned. */
export const KEEP_MS = 600_000
/** Runs are kept for minutes: a second more does no harm. */
export const CLEANUP_MS = 1_000
/** Ended runs whose frames are kept for callers that acknowledge nothing; each holds up to some megabytes. */
export const ENDED_RUNS_SHOWN_MAX = 8
/** While its server is away, a request tries again this often: a refused connection costs next to nothing. */
export const SERVER_RETRY_MS = 250
/**
 * A server that follows its run is there, so its way to the provider must work within seconds. A machine that lost its power still looks
 * like a reader; six retries of an engine with such waits are long enough for it to start.
 */
export const FOLLOWED_AWAY_MS = 60_000
