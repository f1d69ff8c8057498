/** More than a person ever queues; only a loop reaches it. */
export const QUEUE_MAX = 100
/** Larger tool results become artifacts. The frontend contract sets this number. */
export const INLINE_CHARS_MAX = 12_000
/** Below the 2 MB row limit of Durable Objects. No model takes longer prompts. */
export const PAYLOAD_CHARS_MAX = 1_500_000
/** A frame of a screen. Unpaced tokens cost nine times the bytes. */
export const TOKEN_PACE_MS = 16
/** Sends paced text early if a flood of tokens starves the timer. */
export const TOKEN_CHARS_MAX = 64_000
/** After this, an aborted run ends without its runner's confirmation. */
export const ABORT_GRACE_MS = 2_000
/** A run at its end reports it within milliseconds, so a run over budget that is silent longer is stopped. */
export const BUDGET_GRACE_MS = 250
/** A hundred attempts with growing delays last for days. */
export const RETRIES_MAX = 100
/** How often a silent run touches its directory row, without an event. */
export const HEARTBEAT_MS = 15_000
/** A running session without events for this long is flagged as stuck. */
export const STUCK_MS = 300_000
/** Older artifacts are in the log. */
export const ARTIFACTS_MAX = 1_000
/** Every move in the queue sends all queued prompts to all clients again. */
export const QUEUED_PROMPT_CHARS_MAX = 20_000
/** A read follows the whole chain, and a thousand levels take a few milliseconds. */
export const LINEAGE_MAX = 1_000
/** Events per page while a subscriber catches up. */
export const READ_PAGE = 1_000
/** Characters of JSON per page: about a store row, read and encoded in a millisecond or two. */
export const READ_CHARS = 32_000
/** A listener with more unsent bytes is disconnected and has to resume from its cursor. */
export const LISTENER_BYTES_MAX = 2_000_000
/** An upper bound: V8 stores most texts with one byte per character. */
export const BYTES_PER_CHAR = 2
/** Beyond this, a session refuses prompts. A Durable Object has memory for twice as much. */
export const SESSION_CHARS_MAX = 32_000_000
/** The largest time of a Date. Later expiries count as none. */
export const TIME_MAX = 8_640_000_000_000_000
/** Values from callers and agents are walked recursively. */
export const DEPTH_MAX = 100
/** Keeps session memory, which every snapshot contains, below 2 MB. Larger values belong in artifacts. */
export const SESSION_MEMORY_KEYS_MAX = 256
export const SESSION_MEMORY_VALUE_CHARS_MAX = 8_000
export const SESSION_MEMORY_KEY_CHARS_MAX = 128
/** Characters of a result quoted in the reference to its artifact. */
export const PREVIEW_CHARS = 500
/** Characters of a text quoted in a summary. */
export const SUMMARY_CHARS_MAX = 160
/** Enough for a page that a person reads. Older citations are in the log. */
export const CITATIONS_MAX = 50
/** Enough for a page that a person reads. */
export const ENVELOPES_MAX = 20
/** Every client receives custom events in full. Larger data belongs in an artifact. */
export const CUSTOM_CHARS_MAX = 64_000
