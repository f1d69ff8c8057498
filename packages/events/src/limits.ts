// Every limit of the kernel, with a line on why that number.

/** Prompts waiting in one session: a person never has more; a loop does. */
export const QUEUE_MAX = 100
/** A tool result above this becomes an artifact: it is the contract's number for inline results. */
export const INLINE_CHARS_MAX = 12_000
/** The payload of an event as JSON, for the same reason; and a command, which becomes an event. No model takes longer prompts. */
export const PAYLOAD_CHARS_MAX = 1_500_000
/** Milliseconds between token events: a frame of a screen. Unpaced tokens cost nine times the bytes. */
export const TOKEN_PACE_MS = 16
/** Characters of paced text that are sent at once: a flood of tokens may starve the timer. */
export const TOKEN_CHARS_MAX = 64_000
/** How long an aborted runner may take to confirm before the run ends without it. */
export const ABORT_GRACE_MS = 2_000
/** A run over its budget that stays silent for this long is stopped: a run at its end reports it within milliseconds. */
export const BUDGET_GRACE_MS = 250
/** Retries of background work: a hundred attempts with growing waits last for days. */
export const RETRIES_MAX = 100
/** A silent run updates its directory row this often. It costs no event. */
export const HEARTBEAT_MS = 15_000
/** A running session that says nothing for this long is flagged stuck. */
export const STUCK_MS = 300_000
/** Artifacts kept in the fold; older ones are in the log. */
export const ARTIFACTS_MAX = 1_000
/** Characters shown of a queued prompt: each move of the queue sends all queued prompts to each client again. */
export const QUEUED_PROMPT_CHARS_MAX = 20_000
/** Branches that may hang from one another: a read follows them all, and a thousand levels take a few milliseconds. */
export const LINEAGE_MAX = 1_000
/** Events read per page while a subscriber catches up. */
export const READ_PAGE = 1_000
/** Characters of JSON in such a page: about a row of the store, read and encoded in a millisecond or two. */
export const READ_CHARS = 32_000
/** Unsent bytes of a listener before it is disconnected and has to resume with its cursor. */
export const LISTENER_BYTES_MAX = 2_000_000
/** A character takes two bytes at most, and in most texts one. */
export const BYTES_PER_CHAR = 2
/** Characters that a session holds before it takes no more prompts: a Durable Object has memory for twice as much. */
export const SESSION_CHARS_MAX = 32_000_000
/** The latest time that a Date can hold; an expiry beyond it means none. */
export const TIME_MAX = 8_640_000_000_000_000
/** Levels of nesting in values from callers and agents: later code walks them recursively. */
export const DEPTH_MAX = 100
/** The memory of a session: every snapshot has it whole, so that it stays below 2 MB. Larger things belong in artifacts. */
export const SESSION_MEMORY_KEYS_MAX = 256
export const SESSION_MEMORY_VALUE_CHARS_MAX = 8_000
export const SESSION_MEMORY_KEY_CHARS_MAX = 128
/** Characters of a result that a reference to its artifact quotes. */
export const PREVIEW_CHARS = 500
/** Characters of a text quoted in a summary. */
export const SUMMARY_CHARS_MAX = 160
/** Citations in a detail: a page that a person reads. Older ones are in the log. */
export const CITATIONS_MAX = 50
/** Envelopes of a channel: a page that a person reads. */
export const ENVELOPES_MAX = 20
/** JSON of a custom event: every client gets all of it. Larger data belongs in an artifact. */
export const CUSTOM_CHARS_MAX = 64_000
