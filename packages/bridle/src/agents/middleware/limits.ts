// Every limit of middleware, with a line on why that number.

/** Events that one function of a middleware may add to the write of its decision: more is a log of its own. */
export const HOOK_EVENTS_MAX = 100
