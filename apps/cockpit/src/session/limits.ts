// The times and sizes of a session's page.

/** A hidden tab gives its connection back after this: long enough for somebody who only looks at another tab for a moment. */
export const HIDDEN_MS = 30_000

/** The time between two updates of a hidden tab: its title and its icon need no more. */
export const HIDDEN_FRAME_MS = 500

/** The time between two loads of the detail while events come: a page that is read while tokens come needs no more. */
export const RELOAD_MS = 2_000

/** Most plans have fewer steps; more marks would fill the strip. */
export const STEP_MARKS = 12

/** Characters of a prompt that waits, which has one line: its turn shows all of it. */
export const QUEUED_CHARS = 300

/** A score of this or more is good: nothing but small things were found. */
export const GOOD_SCORE = 80
