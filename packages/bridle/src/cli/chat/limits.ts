// Every limit of the conversation in the terminal, with a line on why that number.

/** Styles nest to this depth; deeper marks are shown as they are written. Nobody reads more, and hostile text costs no stack. */
export const SPAN_DEPTH_MAX = 6
/** Spaces before a line that are kept: deeper lists would leave no room for their text. */
export const LINE_INDENT_MAX = 16
/** Columns before code, where colours tell it from text. */
export const CODE_INDENT = 2
/** Marks of a quote inside quotes that become bars. */
export const QUOTE_DEPTH_MAX = 4
/** A column of a table is not made narrower: words would break into letters. */
export const TABLE_COLUMN_MIN = 4
/** Rows of a table that are held back for alignment; a longer table is shown in parts, each aligned by itself. */
export const TABLE_ROWS_MAX = 200
/** Columns of a table; a line with more is shown as it is written. */
export const TABLE_COLUMNS_MAX = 40
/** Spaces from one tab stop to the next in code. */
export const TAB_COLUMNS = 4
/** An escape that nothing follows within this time is the key Esc. Terminals send the rest of a sequence at once. */
export const ESCAPE_KEY_MS = 40
/** Time between two drawings while text streams: faster than anybody reads, slower than a model writes. */
export const DRAW_MS = 30
/** Keys that come this soon after a question appeared were meant for something else. */
export const QUESTION_ARM_MS = 400
/** Prompts in the history: some weeks of work. */
export const HISTORY_MAX = 500
/** A longer prompt is not kept in the history: it was pasted. */
export const HISTORY_ENTRY_CHARS_MAX = 20_000
/** Rows of the input line; a longer text scrolls inside them. */
export const INPUT_ROWS_MAX = 8
/** Rows of unfinished output above the input line, as a part of the window; what is above has been printed for good. */
export const OPEN_ROWS_MAX = 12
/** Messages of an earlier conversation that are shown when a chat goes on with it. */
export const EARLIER_MESSAGES_MAX = 12
/** Sessions in the list of `/sessions`: as many as fit a small window. */
export const SESSION_CHOICES_MAX = 12
/** Columns of a tool's arguments and result; more of them is in the cockpit. */
export const TOOL_TEXT_COLUMNS_MAX = 160
/** Characters of an unfinished tool argument or result that are looked at, before it is cut to a line. */
export const TOOL_TEXT_CHARS_MAX = 2_000
/** Files in the list of `/files`. */
export const FILES_SHOWN_MAX = 30
/** A shorter run shows no time: the number would only flicker. */
export const ELAPSED_SHOWN_MS = 1_000
/** A character that a person sees is shorter than this, so the editor need not look at the whole text to move by one. */
export const CLUSTER_CHARS_MAX = 64
/** Characters of a key's sequence; terminals send far fewer. */
export const SEQUENCE_CHARS_MAX = 32
/** The next turn is shown after this time, though the cost of the last one has not come. */
export const COST_WAIT_MS = 2_000
/** Columns that a question leaves for its answer. */
export const ANSWER_COLUMNS_MIN = 12
