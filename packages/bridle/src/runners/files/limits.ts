// Limits of the files that a server gives to a runner, with the reason for each number.

/** Characters of a file's name; four bytes each are still less than the 255 bytes that file systems take. */
export const FILE_NAME_CHARS_MAX = 60
/** The largest upload that a server takes. */
export const FILE_BYTES_MAX = 25 * 1000 * 1000
/** 25 MB over a slow line to a runner on another machine. */
export const FILE_MS = 60_000
