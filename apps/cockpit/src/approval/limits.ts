// Limits of the card.

/** Less time than this until it expires is shown in red. */
export const EXPIRING_MS = 60_000
/** A card takes no answer before somebody could have seen it: the second click of a double click must not approve the next one. */
export const ARMED_AFTER_MS = 400
/** Characters of one text on the page at first; all of it is one click away. */
export const SHOWN_CHARS = 8_000
/** Characters that the editor takes: a larger text makes every key slow. The server takes larger arguments from other clients. */
export const EDITOR_CHARS_MAX = 400_000
/** Lines of a field of the editor: more of them scroll, or the live diff below would be out of sight. */
export const EDITOR_ROWS_MAX = 24
/** Drafts that are kept while somebody looks at other approvals. */
export const DRAFTS_MAX = 50
/** Levels of edited JSON: deeper than a person edits, and a scanner that calls itself must end somewhere. */
export const JSON_LEVELS_MAX = 500
/** Lines and characters of a reason that are shown at first: the agent writes it, and the arguments stay on the screen below it. */
export const REASON_LINES = 5
export const REASON_CHARS = 400
