// Every limit of the Cloudflare target, with a line on why that number.

/** A file to import. The gateway and an object hold it at the same time, the object also its events and their fold, in 128 MB. */
export const IMPORT_FILE_BYTES_MAX = 16 * 1024 * 1024
/** Objects that one request asks for a file: a paid plan allows 1,000 requests to others, and the directory is asked, too. */
export const OBJECT_REQUESTS_MAX = 900
/** A container that is up answers at once; one that starts gets another request with the next attempt. */
export const CONTAINER_HEALTH_MS = 5_000
/** A call of a tool is two or three steps and may send several requests: the smallest plan allows 50 per invocation. */
export const HOP_STEPS = 20
/** However few the steps: a third of the time that an invocation may compute. */
export const HOP_MS = 10_000
/** While a run is wanted the alarm rings this often: nothing promises that a streaming fetch keeps an object in memory. */
export const WATCHDOG_MS = 30_000
/** Longer than any retry of a runner, shorter than the ten seconds after which the platform evicts an idle object. */
export const TIMER_MS_MAX = 9_000
/** Objects of one directory: a list asks all of them. */
export const SHARDS_MAX = 64
/** An answer waits this long for another object and leaves out what is late. */
export const PEER_WAIT_MS = 2_000
/** Sockets are made ready to sleep this long after the last change: a pause between two tokens is shorter. */
export const HIBERNATE_AFTER_MS = 250
/** An answer waits this long for the directory, so that the next list has the change. */
export const DIRECTORY_WAIT_MS = 1_000
/** A long replay continues while at most this much waits: a page on its way, and one behind it. */
export const REPLAY_CHARS = 256 * 1024
/** A replay waits this long for its reader to move: short enough for a timer, without which the object would be evicted meanwhile. */
export const REPLAY_WAIT_MS = 8_000
/** A client that pinged and is silent for this long is gone. Pages in the background ping once a minute. */
export const DEAD_AFTER_MS = 300_000
/** The interval of document 002, as on Node: a client may take a longer silence for a lost connection. */
export const HEARTBEAT_MS = 15_000
/** The search for dead sockets reads every attachment, so it runs no more often. */
export const SOCKET_SWEEP_MS = 30_000
/** A relayed change is sent so often: an object that moves answers again within a second or two. */
export const RELAY_TRIES_MAX = 3
/** The wait between two tries: a page shows an approval a moment later, and not never. */
export const RELAY_RETRY_MS = 500
/** Reports to `bridle dev` that wait for their turn: a terminal shows no more of a flood. */
export const DEV_REPORTS_MAX = 1_000
/** Causes of an error in a report: a chain may be a circle. */
export const DEV_CAUSES_MAX = 5
/** Lines of an error's stack in a report; the runtime keeps ten, which a library may fill alone. */
export const DEV_STACK_LINES = 50
/** An unread body is dropped up to this: a file that is sent to the wrong address. A longer one costs its sender the answer. */
export const UNREAD_BODY_BYTES_MAX = 64 * 1024 * 1024
/** The largest such body at 50 Mbit/s. A client that announces a body and never sends it gets the answer after this time. */
export const UNREAD_BODY_MS = 10_000
