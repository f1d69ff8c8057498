// The sizes of the tab of health.

/** Events before the newest from which the plot of the score is made: more than a plot can show. */
export const REPLAY_EVENTS = 5_000

/** A replay comes at once: after this silence it is over. */
export const SILENCE_MS = 400

/** Rows of the table of a plot: nobody reads more. */
export const TABLE_ROWS_MAX = 50

/** Points of a line: one with more points than pixels shows no more. */
export const PLOT_POINTS_MAX = 240

/** Plots below each other begin at the same place, unless a number beside the axis needs more. */
export const AXIS_WIDTH_MIN = 33

/** The width of a digit in a plot, with some to spare. */
export const DIGIT_WIDTH = 6.5

/** Rows of the audit that come with each click. */
export const AUDIT_ROWS = 50

/** Rows of the audit in a snapshot of health, at most: with fewer, there are no older ones. */
export const SNAPSHOT_ROWS = 12
