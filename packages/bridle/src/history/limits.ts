// Every limit of histories and exports, with a line on why that number.

/** A shorter text holds no credential that a pattern knows, and most pieces of a stream are shorter. */
export const SCRUBBED_CHARS_MIN = 10
/** A text is scrubbed until nothing changes: after the second pass, but for texts that are made to need more. */
export const SCRUB_PASSES_MAX = 8
/** The value of a secret variable: shorter ones are settings, such as `TOKEN=none`. */
export const NAMED_SECRET_CHARS_MIN = 6
/** A value in prose or code under the name of a secret, which has to look like one. */
export const LOOSE_SECRET_CHARS_MIN = 6
/** The beginning of a value says whether it is a secret; the end is looked for only where it is one. */
export const JUDGED_CHARS = 512
/** Letters that only a generator mixes so: keys begin at 16 characters. */
export const RANDOM_CHARS_MIN = 16
/** Events between two kept states at first: folding as many takes less than a frame of a screen. */
export const KEPT_EVERY = 256
/** Kept states of one history: one for each 256 of 100,000 events. A longer log keeps them further apart, so that memory stays bounded. */
export const KEPT_STATES_MAX = 400
/** Moments that a history remembers, so that a page which asks for one again gets the same object: a few screens of them. */
export const MOMENTS_MAX = 64
/** A line of an export: above the largest event, which is a chunk of an artifact or a payload of 1.5 million characters as JSON. */
export const EXPORT_LINE_CHARS_MAX = 12_000_000
/** Characters of a file that are read at once: some ten milliseconds, which nobody in the process or page notices. */
export const EXPORT_SLICE_CHARS = 128 * 1024
/** Sessions of one file: more than anybody reads through, and few enough to look each of them up. */
export const EXPORT_SESSIONS_MAX = 10_000
/** The number of an event: a thousand a second reach it after thirty years. Behind it ids get too long, and then numbers stop being exact. */
export const SEQ_MAX = 1_000_000_000_000
/** The version of the file: a program that finds another one refuses the file. */
export const EXPORT_VERSION = 1
