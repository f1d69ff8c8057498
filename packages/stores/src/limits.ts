// Every limit of the stores, with a line on why that number.

/** Nobody waits for a deletion, and each retry wakes the object. */
export const CLEANUP_RETRY_MS = 30_000
/** A file that no session uses: a person who uploads one sends it the same day. */
export const UPLOAD_KEPT_MS = 24 * 60 * 60 * 1000
/** Files that one call to the index of a tenant's files releases. */
export const RELEASES_MAX = 50
/** Files of one tenant that no session uses, together: forty of the largest, so that no caller fills the disk. */
export const UPLOADS_UNUSED_BYTES_MAX = 1024 * 1024 * 1024
/** Unused files of one user, together: ten of the largest. One user leaves room for the others of the tenant. */
export const UPLOADS_UNUSED_USER_BYTES_MAX = UPLOADS_UNUSED_BYTES_MAX / 4
