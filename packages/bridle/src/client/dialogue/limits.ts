/** Captions that a dialogue keeps: what was just said. The session has the rest. */
export const CAPTIONS_MAX = 6
