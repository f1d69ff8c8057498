// Limits of the engines, with the reason for each number.

/** The message that announces a call follows its hook within milliseconds; after this time the hook announces the call. */
export const ANNOUNCE_MS = 2_000
/** Claude Code exits within a fraction of this once its input is closed; a process that needs longer hangs and is killed. */
export const CLAUDE_LEAVE_MS = 1_000
/** A transcript is read into memory whole to count its messages; a larger one goes uncounted. */
export const TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024
/** The engine compacts its context at about 90 percent: a warning at 80 comes a few steps before. */
export const CONTEXT_WARNING_PCT = 80
/** A line of the protocol holds one message, whose largest part is the output of a command. A longer line is skipped. */
export const CODEX_LINE_CHARS_MAX = 32_000_000
/** The last lines of the error output name the cause; a person reads no more of it. */
export const CODEX_STDERR_CHARS = 4_000
/** Codex sends a dozen notifications before the session listens. */
export const EARLY_NOTIFICATIONS_MAX = 1_000
/** Codex exits with all its commands in 40 ms; a process that needs longer hangs and is killed. */
export const CODEX_LEAVE_MS = 1_000
/** A request about a thread or a turn reads files at most: a healthy process answers at once. */
export const CONTROL_MS = 30_000
/** Shorter than the time that the runner gives an interrupt, so that Codex is killed here first. */
export const CODEX_INTERRUPT_MS = 1_000
/** A process may start another one during the search. Each round kills what the last one missed. */
export const MARK_ROUNDS = 5
/** A killed process is gone within milliseconds unless the kernel is busy with it. */
export const MARK_ENDING_MS = 1_000
