// Every limit of the entry for tests, with a line on why that number.

/** The longest pause of a script: a timer beyond it fires at once. */
export const DELAY_MS_MAX = 2 ** 31 - 1
/** Pieces of one text: a script that wants more is a mistake, and each piece is a part of the stream. */
export const CHUNKS_MAX = 100_000
