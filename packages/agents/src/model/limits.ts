// Every limit of the loop of a model agent, with a line on why that number.

/** Characters of one step as JSON: it is one event, and some room is left for the fields beside the content. */
export const STEP_CHARS_MAX = 1_400_000
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
