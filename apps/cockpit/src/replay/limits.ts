// The sizes of a replay.

/** Bytes of a file that a page reads: it is in memory several times while it is read. */
export const FILE_BYTES_MAX = 300_000_000

/** Sessions of a file that are listed by name; a file with more is one of a program. */
export const LISTED_SESSIONS = 500
