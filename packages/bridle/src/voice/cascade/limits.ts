// Limits of spoken conversations through speech to text and text to speech, with the reason for each number.

/** Turns that wait for their text. A client that says more waits. */
export const TURNS_WAITING_MAX = 3

/** Characters that are spoken at once: three lines. The first audio comes soon, and an interruption wastes little. */
export const SENTENCE_CHARS_MAX = 300
/** Where a sentence is too long, the cut is at a comma or a space behind this many characters. */
export const CLAUSE_CHARS_MIN = 120
/** Characters that tell a line of prose from code, tables, headings and lists: the longest mark is `1000. `. */
export const LINE_START_CHARS = 6
/** Spoken words of an approval or of its tool: a sentence stays short. */
export const NOTICE_CHARS_MAX = 120

/** Audio that is sent ahead of the listener. More would be made, paid for and thrown away at an interruption. */
export const AHEAD_MS_MAX = 10_000
/** Speech has 14 to 18 characters a second: an estimate for a sentence whose audio is still coming. */
export const MS_PER_CHAR = 62

/** The longest wait for the text of a turn: services take about a tenth of its length. */
export const TRANSCRIPTION_MS_MAX = 30_000
/** The longest silence of a service within its answer, and before it. */
export const SPEECH_STALL_MS_MAX = 15_000
/** A transcript with its usage: a turn of two minutes has about 2,000 characters. */
export const TRANSCRIPT_BYTES_MAX = 256 * 1024
/** The start of an error that a service writes. */
export const ERROR_BYTES_MAX = 4 * 1024
/** Characters of it that a person reads. */
export const ERROR_CHARS_MAX = 300
/** Audio for a character of text, at the most: four times slow speech. */
export const AUDIO_MS_PER_CHAR_MAX = 400
/** Audio for the shortest text: a service may add silence. */
export const AUDIO_MS_BASE_MAX = 10_000
/** A second request after a fault that may pass. A listener waits no longer. */
export const SERVICE_TRIES = 2
/** The pause before the second request. */
export const SERVICE_RETRY_MS = 400
