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
/** How often a model is told that its output does not fit: a model that fails three times does not understand the schema. */
export const REMINDERS_MAX = 2
/** Characters at each end of a large result that the model sees: enough to know what it is and how it ended. */
export const EXCERPT_CHARS = 2_000
/** The longest pause before a model is asked again that is spent in memory. A longer one is a wait, which costs nothing. */
export const PAUSE_MS_MAX = 10_000
/** Turns of the microtask queue in which outcomes that are known at the same moment come together in one write. */
export const OUTCOME_TICKS = 20
/** Calls of each tool that a turn looks back at: one more than the rules about equal and invalid calls need. */
export const RECENT_CALLS = 3
/** Events per read while a run learns what happened before it. */
export const CATCH_UP_PAGE = 1_000
/** Answers of a model in a turn: real work takes a dozen, and a model that walks in circles is stopped before it costs much. */
export const STEPS_MAX = 50
/** Tool calls in a turn: four for each answer, more than any turn that gets somewhere. */
export const TOOL_CALLS_MAX = 200
/** Work in a turn, without waiting: a person who wants more asks for more. */
export const TURN_MS_MAX = 30 * 60_000
/** Time for a tool of a model agent: a build or a slow page; a tool that needs longer says so. */
export const TOOL_TIMEOUT_MS = 60_000
/** Tools that a model is offered: with more, models choose worse, and each request carries all of their schemas. */
export const TOOLS_OFFERED_MAX = 25
/** Calls of one answer at the same time: enough to read a handful of files, and few enough for any service. */
export const WAVE_MAX = 8
/** The third equal call in a row is not made: two may be a retry. */
export const REPEATED_CALLS_MAX = 3
/** Refusals of repeated calls that end the turn: the model was told twice. */
export const REPEATS_DENIED_MAX = 3
/** Calls in a row whose arguments do not fit: at the third, the tool rests for the turn. */
export const INVALID_CALLS_MAX = 3
/** Characters of a tool's result as JSON: it stands in memory a few times while it is written, and a Durable Object has 128 MB. */
export const TOOL_RESULT_CHARS_MAX = 10_000_000
/** Levels of nesting in a result: a report, which wraps it in a few more, takes 100. */
export const RESULT_DEPTH_MAX = 90
/** A text file in a prompt: some 50,000 tokens, a quarter of what usual models read. The rest is left out, and the model learns so. */
export const FILE_TEXT_CHARS_MAX = 200_000
/** Steps of one run of a procedure: a person waits for less, and a branch that leads back for ever does not. */
export const SOP_STEPS_MAX = 1_000
