// Every limit of agents written in TypeScript, with a line on why that number.

/** Issues of a schema in one message. Nobody reads more, and a long list of bad items would otherwise come back whole. */
export const ISSUES_MAX = 20
/** The longest timeout of a tool: a timer beyond it fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1
/** The longest wait for an approval: ten years. A later date could not be written as text, and would stop the session. */
export const EXPIRY_MS_MAX = 10 * 366 * 86_400_000
/** Characters of an error in the log: a reader wants the first sentences, and every client gets them. */
export const ERROR_CHARS_MAX = 2_000
/** Tools that a model is offered: with more, models choose worse, and each request carries all of their schemas. */
export const TOOLS_OFFERED_MAX = 25
/** Characters of a tool's result as JSON: it stands in memory a few times while it is written, and a Durable Object has 128 MB. */
export const TOOL_RESULT_CHARS_MAX = 10_000_000
