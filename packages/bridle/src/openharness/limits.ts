/** An engine answers within 50 seconds, if only to say that it still works; the rest is for the way there and back. */
export const ATTEMPT_MS = 60_000

/** Retries of a request whose error says that it may succeed later. With an engine that works for minutes, each waits for up to 50 s. */
export const RETRIES_MAX = 5

/** The delay before the first retry; each further one doubles it. */
export const RETRY_MS = 500
/** A longer delay would look like a hang to the person who waits. */
export const RETRY_MS_MAX = 10_000

/** A response is text for a screen: more than this is not one. */
export const RESPONSE_BYTES_MAX = 4 * 1024 * 1024

/** A response with more directives than this is no answer to a person. */
export const DIRECTIVES_MAX = 1_000

/** A handler without a deadline gets this long. A handler that waits for a person has no such limit. */
export const HANDLER_MS = 60_000

/** Answers to approvals that one turn sends on by itself: more come from an engine that asks in circles. */
export const FOLLOW_UPS_MAX = 50

/** Turns that wait for the one in progress: more come from a loop that ignores the results. */
export const TURNS_MAX = 100

/** Requests whose environment is remembered: one is sent again soon, or not at all. */
export const ENVIRONMENTS_MAX = 20

/** Timers with a longer delay fire at once, in browsers and in Node. */
export const TIMER_MS_MAX = 2 ** 31 - 1

/** Feedback that waits for the next request: engines take as much in one, and what is older has lost its worth. */
export const FEEDBACK_WAITING_MAX = 1_000

/** A file of 25 MB at two megabits a second. */
export const FILE_UPLOAD_MS = 120_000
