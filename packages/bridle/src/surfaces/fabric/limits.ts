import { READ_CHARS } from '../../kernel/limits.ts'

/** Proxies close a connection that is silent for 60 seconds, some for 30. */
export const SOCKET_HEARTBEAT_MS = 15_000
/** Three heartbeats: two lost pings are an accident, a client that misses three is gone. */
export const DEAD_AFTER_MS = 45_000
/** A tick is a second, with the times above. */
export const TICKS_PER_BEAT = 15

/** A day: a timer for more than 24.8 days would fire at once. */
export const WAIT_SECONDS_MAX = 86_400

/** Events in an answer of the timeline; `?after=` continues from there. */
export const TIMELINE_MAX = 50_000
/** Pages in such an answer: large events make short pages, so an answer has at most some 10 MB. */
export const TIMELINE_PAGES_MAX = Math.ceil(10_000_000 / READ_CHARS)
/** Events in a page: short enough that other sessions get their turn in between. */
export const TIMELINE_PAGE = 1_000
