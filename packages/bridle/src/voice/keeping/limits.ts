// Limits of the audio that sessions keep, with the reason for each number.

/**
 * The longest audio of an artifact: a whole turn of a cascade, or a long answer. It is one write of 5.8 MB, for which the other
 * sessions of a process wait about a tenth of a second.
 */
export const KEPT_MS_MAX = 120_000
/** Bytes of a chunk: as base64 they are a megabyte, which every store takes as a row, and no group of three is split. */
export const KEPT_CHUNK_BYTES = 749_997
/** Audio before the moment in which a provider tells that somebody speaks: its padding, its detection and the way back. */
export const HEARD_BEFORE_MS = 3_000
