// Every limit of the command line, with a line on why that number.

/** `bridle dev --target cloudflare` waits this long for the Worker: a first build on a slow machine takes half of it. */
export const WORKER_READY_MS = 60_000
/** Runs in the server's process get this long to end after Ctrl+C; a second signal does not wait. */
export const STOP_GRACE_MS = 5_000
/** A process takes its secrets file within a second; an older file was left by a process that was killed before. */
export const SECRETS_FILE_MS = 60_000
/** A terminal and npm each pass on the same Ctrl+C; the second signal within this time is an echo. */
export const INTERRUPT_ECHO_MS = 500
/** Time for a terminal to deliver the keys that were pressed before a question. */
export const TYPED_AHEAD_MS = 60
/** Text is not wrapped into narrower lines; such a terminal wraps them itself. */
export const COLUMNS_MIN = 20
/** Characters before a withdrawn piece of an answer that are shown again: enough to find the place on the screen. */
export const LAST_WORDS_CHARS = 40

/** The end of a failed build's output: the error stands there. */
export const BUILD_OUTPUT_CHARS_MAX = 20_000
/** Causes of an error that are looked at: a chain may be a circle. */
export const CAUSES_MAX = 5
/** Silence after which a terminal says that the run is still at work: people begin to doubt after two seconds. */
export const SILENCE_MS = 1_500
/** Lines of an error's stack in dev; Node keeps ten, which a library may fill alone. */
export const STACK_LINES = 50
