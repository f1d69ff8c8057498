// Every limit of a server on Node, with a line on why that number.

/** Unsent bytes of all readers: an eighth of a small server's memory, or a thousand readers with a page each. */
export const UNSENT_BYTES_MAX = 256 * 1024 * 1024
/** Slow readers are checked each time this part of the budget was written to them, so the budget is exceeded by no more. */
export const UNSENT_CHECKS = 16
/** Slow readers are also checked this often, so that the set forgets those that have left. */
export const UNSENT_CHECK_MS = 1_000
/** The server checks this often whether it can still write its data, also without requests. */
export const STORE_CHECK_MS = 1_000
/** A store that opens for longer than this is reported: a folder opens in less, a store elsewhere may not answer. */
export const STORE_OPENING_MS = 10_000

/** nginx and the balancers of clouds keep a connection for 60 s: a server that closes first resets some requests. */
export const KEEP_ALIVE_MS = 75_000
/** A client that still sends has its answer after that: it only has to cross the network. */
export const LINGER_MS = 500
/** Time for the headers of a request: a slow client holds a connection no longer. */
export const HEADERS_MS = 10_000
/** Time for a whole request: a large body on a slow line takes most of it. */
export const REQUEST_MS = 60_000
/** Node checks this often for connections that are too slow. */
export const REQUEST_CHECK_MS = 2_000
/** TCP keep-alive starts after this time, and finds peers whose machine is gone. */
export const TCP_KEEP_ALIVE_MS = 60_000
/** Poll interval while a server that stops waits for its runs. */
export const DRAIN_POLL_MS = 20

/** Connections of all kinds: twice the sockets, so that requests find room beside them. */
export const CONNECTIONS_MAX = 20_000
/** Connections of one address: more than a large office needs. Not for loopback, where a proxy brings all callers. */
export const CONNECTIONS_PER_ADDRESS_MAX = 1_000
/** Connections arrive in bursts, while the ones that were dropped for them are still closing. */
export const CONNECTIONS_HEADROOM = 1_000

/** Smaller bodies are not compressed: the headers outweigh the gain. */
export const COMPRESSED_BYTES_MIN = 1_024
/** Between speed and size: the default of 11 takes a hundred times as long for a tenth less. */
export const BROTLI_QUALITY = 4
/** With more unsent bytes than this the end of an event stream would never arrive, so the connection is cut. */
export const STREAM_END_BYTES_MAX = 256 * 1024

/** Open spans; beyond it the oldest is dropped without its end. Each costs about a kilobyte. */
export const OPEN_SPANS_MAX = 10_000

/** Open sockets of one server; each costs some 4 KB. */
export const SOCKETS_MAX = 10_000
/** Fragments of one message: browsers send one, and each fragment costs memory. */
export const FRAGMENTS_MAX = 64
/** Unanswered messages of one socket; beyond it the server stops reading from the socket. */
export const UNANSWERED_MAX = 32
/** A long message counts as several: 32 of the longest would take as much memory as thousands of sockets. */
export const CHARS_PER_UNANSWERED = 256 * 1024
/** Unread pongs of one socket; more are a flood. */
export const CONTROL_BYTES_MAX = 4_000_000
/** Time for a client to answer a close. */
export const CLOSE_MS = 10_000
/** Time for all clients to leave when the server stops. */
export const LEAVE_MS = 1_000
/** Time for a slow client to read why it is cut. Until then the server keeps its unread bytes. */
export const CUT_MS = 2_000
/** Time for a message to arrive whole: the largest message on a slow line takes a few seconds. */
export const UNFINISHED_MS = 30_000
/** Bytes of unfinished messages: 64 sockets may each be in the middle of the largest message. */
export const UNFINISHED_BYTES_MAX = 64 * 1024 * 1024
/** Sockets are pinged this often: below the 60 s after which proxies drop a silent connection. */
export const PING_MS = 30_000
/** Unanswered pings before a socket is closed: a single one may be lost in a pause of the client. */
export const UNANSWERED_PINGS_MAX = 2
/** The timer of the monitor ticks at least this often. */
export const MONITOR_TICK_MS = 1_000

/** Bounds of the time of runs, in seconds: from a function that answers at once to a day with a person in it. */
export const RUN_SECONDS = [0.1, 1, 10, 60, 600, 3_600, 86_400] as const
/** Requests of one connection that wait for the one in progress. Clients that pipeline at all send some ten. */
export const PIPELINED_REQUESTS_MAX = 100
