// Limits between a server and a runner, with the reason for each number.

/** Characters of one frame: no engine sends more at once, and output without a line break must have an end. */
export const FRAME_CHARS_MAX = 16_000_000
/** From a frame's first byte to its last. The largest passes a slow line in this time; a frame that arrives byte by byte does not. */
export const FRAME_MS = 60_000
/** Digits of a frame's number: JavaScript does not hold a longer number exactly. */
export const FRAME_ID_DIGITS_MAX = 15
/** Bytes of an answer that is no stream, such as health, a refusal or a cancel: these have a few hundred. */
export const ANSWER_BYTES_MAX = 64 * 1024
/** The longest wait for an answer: a cancel waits for the engine, which takes up to some seconds. */
export const ANSWER_MS = 15_000
/**
 * When a silent stream counts as broken. Our runner sends a comment every 15 seconds, and 20 in a row do not get lost. A runner
 * without comments is probed once a minute, as it may work on one tool for hours; three answers in a row without a sign of
 * life are more than a runner that is just being slow.
 */
export const LIVENESS_RULES = { deadAfterMs: 300_000, probeAfterMs: 60_000, probeAgainMs: 5_000, probesMax: 3 }
/** Ended runs that a runner remembers, so that it can distinguish them from unknown runs. About 2 MB. */
export const ENDED_RUNS_MAX = 10_000
/** Bytes of an answer that wait for their reader: a few frames. Above it the runner waits. */
export const UNREAD_ANSWER_BYTES_MAX = 64 * 1024
/** Thinking arrives in fragments of a few characters: ten events a second read as smoothly. */
export const THINKING_MS = 100
/** Thinking in one event: a few screens, so that a flood within the interval still reaches the reader. */
export const THINKING_CHARS_MAX = 20_000
/** Frames between acknowledgements that no call waits for: far fewer than make an engine wait. */
export const ACKNOWLEDGED_FRAMES = 200
/** Characters between acknowledgements, an eighth of what makes an engine wait. */
export const ACKNOWLEDGED_CHARS = 500_000
/** A runner that does not take an acknowledgement is restarting or busy; three requests a second do not add to that. */
export const ACKNOWLEDGE_RETRY_MS = 300
/** An error or a reason that a person reads; results may have any size. */
export const MESSAGE_CHARS_MAX = 100_000
/** Arguments that are shown whole: below the limit of a log entry. */
export const ARGUMENTS_CHARS_MAX = 1_000_000
/** 128 bits, even where somebody writes them as hexadecimal digits. */
export const SECRET_CHARS_MIN = 32
/** Below the 108 bytes of Linux and the 104 of macOS, with their closing zero. */
export const SOCKET_PATH_BYTES_MAX = 100
