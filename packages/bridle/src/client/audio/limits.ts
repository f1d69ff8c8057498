// The numbers of the audio of a page.

/** Samples a second of a line's pcm16. */
export const LINE_RATE = 24_000
/** A frame of the microphone: short enough for a conversation, and fifty messages a second. */
export const FRAME_MS = 20
/** Time between two reports of what was played: an interruption cuts a word at most. */
export const REPORT_MS = 100
/** Zero crossings on each side of the resampler's filter: no audible alias, at a thousandth of a core. */
export const FILTER_CROSSINGS = 16
/** Audio that waits to be played: ten minutes. Models speak faster than they are heard, and no answer is so long. */
export const WAITING_MS_MAX = 600_000
/** The root mean square of loud speech near a microphone, shown as a full meter. */
export const LOUD_LEVEL = 0.25
