// Every limit of the tools for workspaces, with a line on why that number.

/** Characters of a path: what Linux takes in all. */
export const PATH_CHARS_MAX = 4_096
/** Folders inside each other: deeper trees are made by accident, and each level of a walk holds an open folder. */
export const DEPTH_MAX = 64
/** Characters of a path in an error: enough to recognise it. */
export const SHOWN_PATH_CHARS = 200

/** Characters of a result, below the size at which a result becomes an artifact: the model sees all of it at once. */
export const RESULT_CHARS_MAX = 10_000
/** Lines of a file where the model names no number. */
export const READ_LINES = 500
/** Characters of a line that is shown: longer lines are minified code or data, which nobody reads. */
export const LINE_CHARS_MAX = 1_000
/** Bytes of a file that are passed on the way to a line. Lines behind them are found with search_files. */
export const READ_BYTES_MAX = 16 * 2 ** 20
/** Bytes of one read from a file: few system calls, and little memory for a file of three lines. */
export const CHUNK_BYTES = 64 * 2 ** 10
/** Bytes in which a NUL says that a file is not text. git looks at as many. */
export const BINARY_BYTES = 8_000

/** Bytes of a text that is written: more than a model writes in one answer. */
export const WRITE_BYTES_MAX = 2 * 2 ** 20
/** Bytes of a file that is edited: it stands in memory a few times. */
export const EDIT_BYTES_MAX = 8 * 2 ** 20

/** Time of a list or a search: large repositories take less, and the agent has a minute for a call. */
export const SCAN_MS = 10_000
/** Memory of the thread that lists and searches: the files of one folder, and the text of one file. */
export const SCAN_MEMORY_MB = 256
/** Files and folders that a list or a search looks at. */
export const ENTRIES_MAX = 200_000
/** Files in a list: more do not help a model. It asks for a folder or a pattern. */
export const FILES_MAX = 500
/** Lines that a search finds. */
export const MATCHES_MAX = 200
/** Characters of a matching line that are shown. */
export const MATCH_CHARS_MAX = 300
/** Bytes of a file that is searched: larger ones are data. */
export const SEARCH_BYTES_MAX = 4 * 2 ** 20
/** Characters of a pattern. */
export const PATTERN_CHARS_MAX = 1_000

/** Time of a command where neither the model nor the author says more: a build or a test suite. */
export const SHELL_MS = 120_000
/** The longest time of a command. Longer work wants a session of its own. */
export const SHELL_MS_MAX = 30 * 60_000
/** Time in which a killed command and its output end. */
export const SHELL_END_MS = 5_000
/** Characters of a command. */
export const COMMAND_CHARS_MAX = 20_000
/** Bytes at each end of a command's output that the model sees: the first error is at one end, the summary at the other. */
export const OUTPUT_EDGE_BYTES = 4_000
/** Bytes of output after which a command is stopped: nobody reads them, and reading costs the server time. */
export const OUTPUT_BYTES_MAX = 32 * 2 ** 20

/** Bytes of a file that a page shows: a person reads less, and a diff of more stops a browser. */
export const SHOWN_FILE_BYTES_MAX = 2 ** 20
/** Entries of one folder that a page shows. */
export const SHOWN_ENTRIES_MAX = 2_000
/** Differences to a source that a page shows: nobody reads more, and each costs a read of its file. */
export const SHOWN_CHANGES_MAX = 1_000
/** Time in which files are compared with their source: 200,000 files on a warm disk take three seconds. The rest is left out. */
export const COMPARE_MS = 10_000
/** Time in which one folder is listed or one file is read: milliseconds, unless the disk hangs. */
export const LOOK_MS = 5_000
/** Time after the others, for a thread whose system call does not return: its answer is no longer waited for. */
export const LATE_THREAD_MS = 5_000
/** Threads that compare or look at the same time: the processor is for the sessions. */
export const REVIEW_THREADS_MAX = 2
/** Requests that wait for a thread, each for a caller. Further ones are told to come back. */
export const WAITING_REVIEWS_MAX = 32
/** Time in which a source is remembered. The caller of a new session waits for it; a source that takes longer is not compared. */
export const REMEMBER_MS = 20_000
/** New sessions that wait for a thread at the same time: a copy that takes seconds came before each. */
export const WAITING_SOURCES_MAX = 1_000
/** Bytes of text that are kept of one source: a large project has 100 MB of it. Other files are known by their hash. */
export const SOURCE_TEXT_BYTES_MAX = 256 * 2 ** 20
/** The clock of a file system moves in steps of some milliseconds: two changes within one look like one. */
export const FILE_CLOCK_MS = 50
/** Changed lines that are counted exactly: more of them are a new text. */
export const LINE_EDITS_MAX = 2_000
/** Steps of one exact count, some 20 ms: with more, lines are counted without their order. */
export const LINE_STEPS_MAX = 4_000_000
