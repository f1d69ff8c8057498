// Every limit of a conversation that grows, with a line on why that number.

/** Characters of a token: about right for English and code. Where a provider counts more, its count scales the estimate. */
export const TOKEN_CHARS = 4
/** Where a provider counts more tokens than the estimate, at most this many times more: scripts with a token for each character. */
export const TOKEN_SCALE_MAX = 4
/** The tokens of a model that no table has: most models of the last years read at least as many. */
export const WINDOW_TOKENS = 128_000
/** The parts of the window at which readers are warned, in percent. */
export const WARNING_PCTS = [75, 90] as const
/** The part of the window at which room is made: what is left holds the answer and the results of its calls. */
export const COMPACT_RATIO = 0.85
/** Tool results in the last part of the window are never cleared: the model works with them. */
export const RESULTS_KEPT_RATIO = 0.2
/** Clearing results has to free this part of the window: each cut makes the provider's cache useless. */
export const CLEARED_RATIO_MIN = 0.1
/** A result up to this length stays: its placeholder would hardly be shorter. */
export const CLEARED_CHARS_MIN = 300
/** The last part of the window stays as it is behind a summary. */
export const KEPT_RATIO = 0.1
/** After an overflow nobody knows the real window: at most this part of the conversation stays. */
export const KEPT_OF_ALL_RATIO = 0.25
/** A summary has to replace this part of the window, or every step would ask for another one. */
export const REPLACED_RATIO_MIN = 0.05
/** Tokens of a summary: a few pages, which hold the state of any work. */
export const SUMMARY_TOKENS_MAX = 8_000
/** The part of a small window that a summary may take: the work needs the rest. */
export const SUMMARY_RATIO_MAX = 0.125
/** A summary may have this many times the characters that its tokens usually have: some words are long. */
export const SUMMARY_SLACK = 2
/** Time for a summary with its middleware: several times as long as a model takes for so many tokens. */
export const SUMMARY_MS_MAX = 5 * 60_000
/** Failed summaries in a row, after which the turn does without. */
export const SUMMARY_TRIES_MAX = 3
/** Characters of each tool result, and of each text, that the writer of a summary reads. After a failure it reads less. */
export const SUMMARY_READS = [
  { result: 2_000, text: 100_000 },
  { result: 400, text: 4_000 },
  { result: 100, text: 1_000 },
] as const
/** Artifacts, and resources, that stand behind a summary: the newest ones. More than that, nobody asks for again. */
export const REFERENCES_MAX = 50
/** Characters of the name of an artifact or of a resource behind a summary. */
export const REFERENCE_CHARS_MAX = 200
