// The sizes of the tab of work.

/** An artifact larger than this is saved, not shown: the page holds it as text a second time. */
export const PREVIEW_BYTES = 20_000_000

/** JSON larger than this is shown as it is: many megabytes take seconds to lay out in lines. */
export const PRETTY_BYTES = 5_000_000

/** Checkpoints at first: the others are one click away. */
export const CHECKPOINTS_SHOWN = 6
