/** Characters of the names and values of a row: a table is read at a glance, and the debug page of the session has all of them. */
export const CLAIM_CHARS = 300
/** Characters of prompts that are searched for hidden ones before anybody sees them: more of them would hold up the page. */
export const SEARCHED_CHARS = 5_000_000
