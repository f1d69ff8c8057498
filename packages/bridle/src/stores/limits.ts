// The limits of stores, each with the reason for its number.

/** Branches that may hang from one another: a read follows them all, and a thousand levels take a few milliseconds. */
export const lineageMax = 1000
