// Every limit of the views of a session, with a line on why that number.

/** Messages of a session in one answer, the newest: more than a person scrolls through. */
export const DETAIL_MESSAGES_MAX = 500
/** Characters of these messages: a browser takes 4 MB of JSON without a pause. */
export const DETAIL_CHARS_MAX = 4_000_000
/** Resume points in one answer, the newest: each costs a read. */
export const RESUME_POINTS_MAX = 100
/** Characters of a payload that a detail shows, and of all citations in it: a page has some twenty, and stays below 4 MB. */
export const NOTICE_CHARS_MAX = 100_000
/** Events of the channel read at a time: a channel that is full after a few large events reads no more of them. */
export const LOOKUP_BATCH = 5
