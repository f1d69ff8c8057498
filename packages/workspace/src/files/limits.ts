// Every limit of the tools for workspaces, with a line on why that number.

/** Folders inside each other: deeper trees are made by accident, and each level of a walk holds an open folder. */
export const DEPTH_MAX = 64

/** Characters of a result, below the size at which a result becomes an artifact: the model sees all of it at once. */
export const RESULT_CHARS_MAX = 10_000
/** Bytes of one read from a file: few system calls, and little memory for a file of three lines. */
export const CHUNK_BYTES = 64 * 2 ** 10
/** Bytes in which a NUL says that a file is not text. git looks at as many. */
export const BINARY_BYTES = 8_000

/** Bytes of a text that is written: more than a model writes in one answer. */
export const WRITE_BYTES_MAX = 2 * 2 ** 20

/** Files and folders that a list or a search looks at. */
export const ENTRIES_MAX = 200_000
/** Characters of a pattern. */
export const PATTERN_CHARS_MAX = 1_000

/** The longest time of a command. Longer work wants a session of its own. */
export const SHELL_MS_MAX = 30 * 60_000
/** Time in which a killed command and its output end. */
export const SHELL_END_MS = 5_000

/** Bytes of a file that a page shows: a person reads less, and a diff of more stops a browser. */
export const SHOWN_FILE_BYTES_MAX = 2 ** 20
/** Threads that compare or look at the same time: the processor is for the sessions. */
export const REVIEW_THREADS_MAX = 2
