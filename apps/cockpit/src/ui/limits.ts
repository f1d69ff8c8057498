// The sizes of what every page shows.

/** The characters of a text that are shown at first, and with each further step. */
export const CODE_CHARS = 20_000
export const CODE_STEP = 100_000

/** More text than this stays out of the page: a browser takes seconds to lay it out. Copying gives all of it. */
export const CODE_MAX = 500_000
