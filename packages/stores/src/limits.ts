/** Deletions are not urgent, and each retry wakes the object. */
export const CLEANUP_RETRY_MS = 30_000
/** People send a file on the day they upload it. */
export const UPLOAD_KEPT_MS = 24 * 60 * 60 * 1000
/** Bounds one call to a tenant's file index. */
export const RELEASES_MAX = 50
/** Total per tenant: forty files of maximum size, so that no caller fills the disk. */
export const UPLOADS_UNUSED_BYTES_MAX = 1024 * 1024 * 1024
/** Total per user: ten files of maximum size, which leaves room for the tenant's other users. */
export const UPLOADS_UNUSED_USER_BYTES_MAX = UPLOADS_UNUSED_BYTES_MAX / 4
