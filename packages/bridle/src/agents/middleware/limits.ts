// Every limit of middleware, with a line on why that number.

/** Events that one function of a middleware may add to the write of its decision: more is a log of its own. */
export const HOOK_EVENTS_MAX = 100
/** Characters of these events and usage together: a write holds them in memory a few times. */
export const HOOK_EVENTS_CHARS_MAX = 1_000_000
/** Characters of the notes of one middleware at the start of a turn: some 12,000 tokens, a tenth of what usual models read. */
export const NOTES_CHARS_MAX = 50_000
/** Notes of one middleware at the start of a turn: each is a message of the conversation. */
export const NOTES_MAX = 20
/** How often the answer of a turn is sent back, over all middleware: a model that fails three times does not understand what is missing. */
export const AGAIN_MAX = 2
/** Characters of a text with which an answer is sent back: a page, which the model reads in every later request. */
export const AGAIN_CHARS_MAX = 8_000
/** Requests of the functions `model` in one step, and of `compact` for one summary: a middleware that asks without end costs money without end. */
export const MODEL_REQUESTS_MAX = 10
/** Documents that a search is asked for: more makes models read worse. */
export const DOCUMENTS_MAX = 5
/** Tokens of the documents of one search: a few pages, and a small part of what models read. */
export const DOCUMENT_TOKENS_MAX = 4_000
/** Characters of an id, a title, an address and a reason of a document in the log: people read them in a list. */
export const DOCUMENT_LABEL_CHARS = 300
/** Characters of the prompt and of the answer that a critic reads: some 12,000 tokens each. */
export const CRITIC_CHARS_MAX = 50_000
/** Tokens of a critic's answer: a list of what is missing. */
export const CRITIC_TOKENS_MAX = 1_000
/** Things that a critic says are missing: nobody mends more at once. */
export const CRITIC_FINDINGS_MAX = 20
/** Characters of a finding of a check: a sentence or two, for the model and for people. */
export const FINDING_CHARS_MAX = 1_000
/** Steps of a plan: a longer one is a list of tasks, and belongs into a file. */
export const PLAN_STEPS_MAX = 30
/** Characters of a step of a plan: thirty of them fit into one value of the session's memory. */
export const PLAN_STEP_CHARS_MAX = 200
