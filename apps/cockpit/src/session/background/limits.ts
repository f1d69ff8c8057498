// The sizes of the tab of work.

/** An artifact larger than this is saved, not shown: JSON of many megabytes takes seconds to lay out in lines. */
export const PREVIEW_BYTES = 5_000_000
