// Every limit of agents written in TypeScript, with a line on why that number.

/** Characters of streamed text before a run waits for the log. One token event holds at most about twice as many. */
export const TEXT_CHARS_MAX = 200_000
/** Issues of a schema in one message. Nobody reads more, and a long list of bad items would otherwise come back whole. */
export const ISSUES_MAX = 20
/** The longest timeout of a tool: a timer beyond it fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1
/** The longest wait for an approval: ten years. A later date could not be written as text, and would stop the session. */
export const EXPIRY_MS_MAX = 10 * 366 * 86_400_000
/** Characters of an error in the log: a reader wants the first sentences, and every client gets them. */
export const ERROR_CHARS_MAX = 2_000
/** Room in a tool result beside the result itself: ids, names and the outcome. */
export const RESULT_MARGIN_CHARS = 1_000
/** How often a model is told that its output does not fit: a model that fails three times does not understand the schema. */
export const REMINDERS_MAX = 2
/** Calls that only repeat others before the turn ends: the model was told twice, and goes in circles. */
export const REPEATS_MAX = 3
/** Answers of a model in a turn: real work takes a dozen, and a model that walks in circles is stopped before it costs much. */
export const STEPS_MAX = 50
/** Tool calls in a turn: four for each answer, more than any turn that gets somewhere. */
export const TOOL_CALLS_MAX = 200
/** Work in a turn, without waiting: a person who wants more asks for more. */
export const TURN_MS_MAX = 30 * 60_000
/** Time for a tool of a model agent: a build or a slow page; a tool that needs longer says so. */
export const TOOL_TIMEOUT_MS = 60_000
/** Silence of a model's stream: models that think send signs of life well within it. */
export const STREAM_STALL_MS = 120_000
