// Every limit of a conversation that grows, with a line on why that number.

/** Characters of a token: about right for English and code. Where a provider counts more, its count scales the estimate. */
export const TOKEN_CHARS = 4
/** A result up to this length stays: its placeholder would hardly be shorter. */
export const CLEARED_CHARS_MIN = 300
