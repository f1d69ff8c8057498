// Every limit of the agents of a server, with a line on why that number.

/** Editors write a file in several steps within some milliseconds; they count as one change. */
export const FILE_SETTLE_MS = 100
/** Characters of a problem with an agent's file: one line of a terminal or a log. */
export const PROBLEM_CHARS_MAX = 300
/** Lines of source before and after an error: with the error's own line, what fits below a message without scrolling it away. */
export const FRAME_LINES = 2
/** Columns of a frame where the width of the terminal is unknown: with two columns of indent it fits into the usual 80. */
export const FRAME_COLUMNS_MAX = 78
/** Columns of a frame beside the number and the text of a line: its mark, the bar and spaces. */
export const FRAME_MARGIN = 5
/** Frames of an error's stack that are shown: deeper ones are rarely the reason. */
export const STACK_FRAMES_MAX = 10
/** Files of an agent that are searched for a syntax error without a place: each costs the start of a process. */
export const SYNTAX_CHECK_FILES_MAX = 10
/** A check takes some 50 ms; on a machine that needs longer than this the place stays unknown. */
export const SYNTAX_CHECK_MS = 5_000
/** Files whose digest is remembered: a project with more of its own files than that is not one person's. */
export const TRUSTED_FILES_MAX = 20_000
/** Folders that are watched: with more, the limit of the operating system is near, and a change there needs a restart. */
export const WATCHED_FOLDERS_MAX = 500
/** Runs whose start is remembered for the line about their end; beyond it the oldest loses its time. */
export const WATCHED_RUNS_MAX = 10_000
/** Times in which a session could write in place, for each server: a hundred days of ten sandboxes; beyond it two become one. */
export const WRITING_TIMES_MAX = 1_000
/** A file system notes times by a clock that ticks every 10 ms, and up to one tick late. */
export const CLOCK_SLACK_MS = 20
