// Every limit of middleware, with a line on why that number.

/** Events that one function of a middleware may add to the write of its decision: more is a log of its own. */
export const HOOK_EVENTS_MAX = 100
/** Characters of the notes of one middleware at the start of a turn: some 12,000 tokens, a tenth of what usual models read. */
export const NOTES_CHARS_MAX = 50_000
/** Notes of one middleware at the start of a turn: each is a message of the conversation. */
export const NOTES_MAX = 20
/** How often the answer of a turn is sent back, over all middleware: a model that fails three times does not understand what is missing. */
export const AGAIN_MAX = 2
/** Characters of a text with which an answer is sent back: a page, which the model reads in every later request. */
export const AGAIN_CHARS_MAX = 8_000
/** Requests of the functions `model` in one step: a middleware that asks without end costs money without end. */
export const MODEL_REQUESTS_MAX = 10
