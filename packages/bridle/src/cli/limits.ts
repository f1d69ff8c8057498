// Every limit of the command line, with a line on why that number.

/** `bridle dev --target cloudflare` waits this long for the Worker: a first build on a slow machine takes half of it. */
export const WORKER_READY_MS = 60_000
/** Runs in the server's process get this long to end after Ctrl+C; a second signal does not wait. */
export const STOP_GRACE_MS = 5_000
/** A process takes its secrets file within a second; an older file was left by a process that was killed before. */
export const SECRETS_FILE_MS = 60_000
/** A terminal and npm each pass on the same Ctrl+C; the second signal within this time is an echo. */
export const INTERRUPT_ECHO_MS = 500
/** Time for a terminal to deliver the keys that were pressed before a question. */
export const TYPED_AHEAD_MS = 60
/** Text is not wrapped into narrower lines; such a terminal wraps them itself. */
export const COLUMNS_MIN = 20
/** Columns that a tab takes at most. */
export const TAB_COLUMNS = 8
/** Columns of the help: the width of a terminal that nobody has made wider. */
export const HELP_COLUMNS = 80
/** Characters before a withdrawn piece of an answer that are shown again: enough to find the place on the screen. */
export const LAST_WORDS_CHARS = 40

/** The end of a failed build's output: the error stands there. */
export const BUILD_OUTPUT_CHARS_MAX = 20_000
/** Causes of an error that are looked at: a chain may be a circle. */
export const CAUSES_MAX = 5
/** Silence after which a terminal says that the run is still at work: people begin to doubt after two seconds. */
export const SILENCE_MS = 1_500
/** Lines of an error's stack in dev; Node keeps ten, which a library may fill alone. */
export const STACK_LINES = 50

/** A second Ctrl+C within this time cancels the run: long enough to read the line that says so. */
export const CANCEL_WINDOW_MS = 2_000

/** Sessions per page while the beginning of an id is looked up: the most that a server gives. */
export const PREFIX_PAGE = 500
/** Ids that are listed when the beginning of an id fits several: as many as fit on a screen. */
export const CANDIDATES_MAX = 10
/** A shortened id has at least this many characters: shorter ones look like words. */
export const ID_CHARS_MIN = 12
/** Characters behind those that tell an id from its neighbours in the list; with hexadecimal digits, one in 65,000 is met again. */
export const ID_CHARS_SPARE = 4
/** A list of sessions shortens ids when titles would have fewer columns than this. */
export const TITLE_COLUMNS = 32

/** Entries of a log per request: the most that a server gives. */
export const LOG_PAGE = 2_000
/** Columns of an event's id in a line of the log: ev-9999; a longer one moves its line. */
export const EVENT_COLUMNS = 7
/** Columns of an event's type: the longest types that are common. */
export const TYPE_COLUMNS = 18
/** A replay waits at most this long between two events, at normal speed: nobody watches an agent that waits for its operator. */
export const REPLAY_GAP_MS = 2_000
/** Steps, branches and approvals that `inspect` shows of each kind; the other verbs list all. */
export const INSPECT_ROWS_MAX = 5
/** Sessions per request of a list that is read as a whole. */
export const LIST_PAGE = 500
/** The program at a port that is in use gets this long to say what it is: the error waits for it. */
export const PORT_OWNER_MS = 1_000
/** A completion that takes longer feels like a terminal that hangs. */
export const COMPLETION_MS = 800
/** Session ids that a completion offers; the shell filters them by what was typed. */
export const COMPLETION_IDS_MAX = 200
/** An edit of arguments with more lines than this is shown as all old and all new lines: the comparison takes time by the square. */
export const DIFF_LINES_MAX = 2_000
/** Columns before each text of the message of a ready server: the longest label, and room around it. */
export const LABEL_COLUMNS = 12
/** The question whether the program at an address is Bridle: a program that keeps it waiting longer is asked no further. */
export const FOREIGN_PROBE_MS = 3_000
/** A plain request gets its answer in this time, also from a server that is busy; a longer silence is a server that hangs. */
export const ANSWER_MS = 30_000
/** Open approvals that `dev` names when it starts: a few lines below the message of a ready server; the rest is a number. */
export const WAITING_APPROVALS_MAX = 5
/** The beginning of a file in which the first line of an export ends: it has a name, a version and a program. */
export const EXPORT_HEAD_BYTES = 1_000
/** Names of files in one message: more would hide the sentence around them. */
export const NAMES_SHOWN = 5
/** Files that a command to copy keeps: a longer one does not fit on a screen. Those beyond are offered by the next refusal. */
export const KEPT_NAMES_MAX = 50
/** Entries of a worktree in which a file that git refuses is looked for: more is a project with its packages, and takes seconds. */
export const GIT_SEARCH_ENTRIES_MAX = 200_000
/** An address of this machine answers within milliseconds, or has no server. */
export const PROXY_SEARCH_MS = 1_000
/** The answer of a server with hundreds of agents. */
export const PROXY_ANSWER_BYTES_MAX = 1024 * 1024

/** A line for each event shows no shorter time: `0.1 s` behind every call is harder to read. */
export const CALL_TIME_SHOWN_MS = 1_000
