// The numbers of the page of routes.

/** Frames of a stream that the page keeps: the newest. A stream may run for days. */
export const FRAMES_SHOWN = 100

/** An answer beyond this is cut: the page is for looking, and the address gives all of it. */
export const ANSWER_CHARS = 2_000_000

/** Levels of the example of a body: schemas may contain themselves. */
export const EXAMPLE_LEVELS_MAX = 5
