// Every limit of the stores, with a line on why that number.

/** Sessions whose depth is remembered: as many as one import has, and some hundred kilobytes. */
export const BRANCH_POINTS_MAX = 10_000
/** Characters of a page of a snapshot's pieces: read and checked in a few milliseconds. */
export const PIECES_PAGE_CHARS = 64_000
/** Pieces of the first page: each may be as large as a row. */
export const PIECES_PER_PAGE_MIN = 4
/** Pieces of a page of short messages: more would only save queries. */
export const PIECES_PER_PAGE_MAX = 128
/** Entries of a page: a larger page would block the event loop while its rows are parsed. */
export const PAGE_MAX = 500
/** Rows that a list reads at once: some 2 ms, and then others have their turn. */
export const SLICE_ROWS = 2_000
/** Slices of one request, 400,000 rows: a page that is not full by then says where to go on, so that no request lasts for minutes. */
export const SLICES_MAX = 200
/** Lists of one reader that read more than a slice at the same time: more do not end sooner, and others wait for each. */
export const LONG_LISTS_MAX = 2
/** Further long lists of the reader that wait for these; the next one is refused, so that nobody queues hours of work. */
export const WAITING_LISTS_MAX = 32
/** A backup that runs while the server starts has this long to finish its step; then the start is refused. */
export const READER_WAIT_MS = 5_000
/** A Durable Object binds no more. Kept on every driver, so that a test on Node finds what production would refuse. */
export const PARAMETERS_MAX = 100
/** A Durable Object refuses rows of 2 MB; kept on every driver for the same reason. */
export const ROW_BYTES_MAX = 1_900_000
/** A look at the files takes a few microseconds: too much for every commit, and nothing ten times a second. */
export const FILE_CHECK_MS = 100
/** A disk that fails is tried again four times a second, however many callers there are. */
export const RECOVER_MS = 250
/** A statement waits this long for the lock of another program, such as a backup. */
export const BUSY_MS = 5_000
/** Frames of the write-ahead log in one read: about a megabyte. */
export const FRAMES_READ = 256
/** Joined segments stop growing here: the overhead of a row no longer counts, and parsing one takes well below a millisecond. */
export const SEGMENT_CHARS_MAX = 32 * 1024
/** At three bytes per character a piece still fits a row. */
export const PIECE_CHARS_MAX = 500 * 1024
/** Appends in one commit, so that it blocks the event loop for a few milliseconds at most. */
export const GROUP_MEMBERS_MAX = 256
/** Characters in one commit, for the same reason. */
export const GROUP_CHARS_MAX = 512 * 1024
/** Often enough that tidying takes a few milliseconds, seldom enough that its syncs vanish among those of the commits. */
export const COMMITS_PER_TIDY = 250
/** Rows that one step of a sweep deletes: a large session must not block the event loop while it goes. */
export const SWEEP_ROWS = 500
/** Reading and parsing this much takes about a millisecond; after such a page others get their turn. */
export const LARGE_PAGE_CHARS = 100_000
/** Characters of a chunk that stay in the log: for a smaller chunk a request to the bucket costs more than the storage. */
export const INLINE_CONTENT_MAX = 65_536
/** Connections that the platform keeps open at once for one invocation. */
export const BUCKET_PUTS_MAX = 6
/** A bucket that fails three times in a row is down for longer than a caller waits. */
export const BUCKET_TRIES_MAX = 3
/** Nobody waits for a deletion, and each retry wakes the object. */
export const CLEANUP_RETRY_MS = 30_000
/** Names deleted at once; the bucket takes 1,000. */
export const CLEANUP_NAMES_MAX = 500
/** Lists are wrong until the directory hears of a change, so the retry comes sooner than others. */
export const PUBLISH_RETRY_MS = 5_000
/** Sessions of one object, itself and its branches, that one announcement carries. */
export const ANNOUNCED_MAX = 500
/** Homes that one gateway remembers, about a megabyte: each saves a request to the directory. */
export const HOMES_MAX = 10_000
/** Records in one answer between two objects of a directory, whose rows may be large. */
export const RECORDS_PAGE = 200
/** A file that no session uses: a person who uploads one sends it the same day. */
export const UPLOAD_KEPT_MS = 24 * 60 * 60 * 1000
/** A piece of an uploaded file: fewer rows cost less, and a row of 2 MB is refused. */
export const UPLOAD_PIECE_BYTES = 1_800_000
/** Files that one call to the index of a tenant's files releases. */
export const RELEASES_MAX = 50
/** Files of one tenant that no session uses, together: forty of the largest, so that no caller fills the disk. */
export const UPLOADS_UNUSED_BYTES_MAX = 1024 * 1024 * 1024
/** Unused files of one user, together: ten of the largest. One user leaves room for the others of the tenant. */
export const UPLOADS_UNUSED_USER_BYTES_MAX = UPLOADS_UNUSED_BYTES_MAX / 4
