/** Deeper trees are accidents, and a walk keeps a folder open per level. */
export const DEPTH_MAX = 64

/** Below the size at which a result becomes an artifact, so that the model sees all of it. */
export const RESULT_CHARS_MAX = 10_000
/** Few system calls, and little memory for a small file. */
export const CHUNK_BYTES = 64 * 2 ** 10
/** Same as git's check for binary files. */
export const BINARY_BYTES = 8_000

/** More than a model writes in one answer. */
export const WRITE_BYTES_MAX = 2 * 2 ** 20

/** Entries that a listing or a search visits: more than most repositories have, and still a matter of seconds. */
export const ENTRIES_MAX = 200_000
/** Real patterns are far shorter. */
export const PATTERN_CHARS_MAX = 1_000

/** Longer work needs a session of its own. */
export const SHELL_MS_MAX = 30 * 60_000
/** Time for a killed command to close its output. */
export const SHELL_END_MS = 5_000

/** People read less, and diffing more freezes a browser. */
export const SHOWN_FILE_BYTES_MAX = 2 ** 20
/** Leaves the CPU to the sessions. */
export const REVIEW_THREADS_MAX = 2
