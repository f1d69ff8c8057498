/** Retries of work that names no number: a killed server counts as a failure, and must not be the end of the work. */
export const RETRIES_DEFAULT = 3
/** Characters of the types that a stream leaves out: more than all of ours have together, and some of an agent's own. */
export const OMIT_CHARS_MAX = 2_000
