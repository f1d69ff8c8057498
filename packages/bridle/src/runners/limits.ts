// Limits between a server and a runner, with the reason for each number.

/** Characters of one frame: no engine says more at once, and rubbish without a line break must end somewhere. */
export const FRAME_CHARS_MAX = 16_000_000
/** From a frame's first byte to its last. The largest passes a slow line in this time; a frame that dribbles does not. */
export const FRAME_MS = 60_000
/** A frame's number has at most so many digits: a longer one is no exact number any more. */
export const FRAME_ID_DIGITS_MAX = 15
/** Bytes of an answer that is no stream: health, a refusal, a cancel. They have a few hundred. */
export const ANSWER_BYTES_MAX = 64 * 1024
/** An answer that takes longer is none. A cancel waits for the engine, and that for up to some seconds. */
export const ANSWER_MS = 15_000
/**
 * When a silent stream counts as broken. Our runner sends a comment every 15 seconds: 20 that are missing are no accident. A runner
 * without comments is asked once a minute, as it may work on one tool for hours; three answers in a row without a sign of
 * life are more than a runner that is just being slow.
 */
export const LIVENESS_RULES = { deadAfterMs: 300_000, probeAfterMs: 60_000, probeAgainMs: 5_000, probesMax: 3 }
/** Runs of a runner that have ended and are still told apart from those that never were. About 2 MB. */
export const ENDED_RUNS_MAX = 10_000
