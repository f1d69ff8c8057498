// Every limit of the loop of a model agent, with a line on why that number.

/** The default of `limits.stallMs`: a model that thinks long still streams something within two minutes. */
export const STALL_MS = 120_000
/** How often a waiting stream is looked at within `limits.stallMs`: a stall is found at most a quarter late. */
export const STALL_LOOKS = 4
/** Calls of one model for one step. A provider that fails three times in a row is down, and the next model may not be. */
export const TRIES_MAX = 3
/** The wait before the second try; it doubles with each further one. */
export const RETRY_MS = 1_000
/** The share of a wait that is left to chance, so that many sessions do not come back at the same moment. */
export const RETRY_JITTER = 0.25
/** The longest wait that a provider may ask for: a person watches, and the next model may answer at once. */
export const RETRY_AFTER_MS_MAX = 60_000
/** Characters of one step as JSON: it is one event, and some room is left for the fields beside the content. */
export const STEP_CHARS_MAX = 1_400_000
/** Characters of arguments in one stream: those beyond the limit of a call are thrown away, but a stream of them has to end. */
export const STREAM_CHARS_MAX = 20_000_000
/** Parts of one stream: the longest answers have 128,000 tokens, and a part that says nothing costs time, too. */
export const PARTS_MAX = 300_000
/** The most characters that one character of text becomes in JSON: `\u0000`. */
export const ESCAPE_CHARS_MAX = 6
/** Characters of the arguments of one call: the longest answers of today's models have 128,000 tokens, about so many characters. */
export const CALL_INPUT_CHARS_MAX = 500_000
/** Characters that are kept of arguments that cannot be used: enough to see where they went wrong. */
export const RAW_CHARS_MAX = 2_000
/** Levels of nesting in arguments: below the limit of a report, which wraps them in about ten levels. */
export const CALL_INPUT_DEPTH_MAX = 85
/** Texts, thoughts and calls in one step: a few hundred calls at once are a strange answer, a thousand are none. */
export const ENTRIES_MAX = 1_000
/** Characters of the name of a tool in a call: providers allow 64 to 128. */
export const TOOL_NAME_CHARS_MAX = 128
/** Characters of a call's id at its provider: the longest known have about 100, with a signature up to some thousand. */
export const PROVIDER_ID_CHARS_MAX = 4_000
/** Characters of a provider's own error message in ours: its first sentences. */
export const PROVIDER_MESSAGE_CHARS_MAX = 500
