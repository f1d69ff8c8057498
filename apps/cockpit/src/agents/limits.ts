// The numbers of the page of agents.

/** Deeper objects are JSON: nobody fills in a form of so many levels, and a schema may contain itself. */
export const FORM_LEVELS_MAX = 4

/** Sessions of an agent on its page: the list has the others. */
export const RECENT_SESSIONS = 8
