// The limits of workspaces, with the reason for each number.

/** A checkout of a large repository on a slow disk takes a minute or two. */
export const GIT_TIMEOUT_MS = 5 * 60_000
/** The list of all files of a commit: half a million names of 100 bytes. */
export const GIT_OUTPUT_BYTES_MAX = 64 * 1024 ** 2
/** A larger source is a mistake, or belongs into a repository. */
export const SOURCE_COPY = { bytes: 2 * 1024 ** 3, files: 50_000 } as const
