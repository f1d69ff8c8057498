// Every limit of the kernel, with a line on why that number.

/** Characters of an id, as its grammar has them: any name that people or programs give, and short enough for a path. */
export const ID_CHARS_MAX = 128
/** Prompts waiting in one session: a person never has more; a loop does. */
export const QUEUE_MAX = 100
/** Commands waiting for the drain: beyond it callers are told to slow down. */
export const INBOX_MAX = 10_000
/** Items decided per append: bounds how long one commit can keep others waiting. */
export const BATCH_MAX = 512
/** A tool result above this becomes an artifact: it is the contract's number for inline results. */
export const INLINE_CHARS_MAX = 12_000
/** Characters of JSON per artifact chunk: a Durable Object refuses rows of 2 MB. */
export const CHUNK_CHARS = 1_000_000
/** The payload of an event as JSON, for the same reason; and a command, which becomes an event. No model takes longer prompts. */
export const PAYLOAD_CHARS_MAX = 1_500_000
/** Milliseconds between token events: a frame of a screen. Unpaced tokens cost nine times the bytes. */
export const TOKEN_PACE_MS = 16
/** Characters of paced text that are sent at once: a flood of tokens may starve the timer. */
export const TOKEN_CHARS_MAX = 64_000
/** Unacknowledged reports a runner may have before it is made to wait. */
export const REPORTS_HIGH_WATER = 256
/** How long an aborted runner may take to confirm before the run ends without it. */
export const ABORT_GRACE_MS = 2_000
/** A run over its budget that stays silent for this long is stopped: a run at its end reports it within milliseconds. */
export const BUDGET_GRACE_MS = 250
/** Crashes that count against a durable run without progress before it fails: one or two may be chance. */
export const RESUMES_MAX = 5
/** After this many a run is a suspect: later crashes count only while no other run is at work. */
export const SUSPECT_RESUMES = 2
/** Signals of one run: its runner keeps them in memory until the run ends. A sender that loops reaches the number, a workflow never does. */
export const SIGNALS_MAX = 1_000
/** Characters of these signals together, for the same reason: some payloads of the largest size. */
export const SIGNAL_CHARS_MAX = 8_000_000
/** How long a durable run may take to end what it has begun when its process is about to end: orchestrators kill after 30 s. */
export const REST_GRACE_MS = 10_000
/** First retry after this, doubling. */
export const RETRY_BASE_MS = 1_000
export const RETRY_MAX_MS = 60_000
/** Retries of background work: a hundred attempts with growing waits last for days. */
export const RETRIES_MAX = 100
/** A silent run updates its directory row this often. It costs no event. */
export const HEARTBEAT_MS = 15_000
/** A running session that says nothing for this long is flagged stuck. */
export const STUCK_MS = 300_000
/** Open approvals in one session: no person reads more, and each change sends all of them. */
export const OPEN_APPROVALS_MAX = 100
/** Answered approvals remembered, so that the same answer twice is the same reply. */
export const DECIDED_APPROVALS_MAX = 256
/** Settled approvals in a session's directory row: its row is written again with every change that a list shows. */
export const SETTLED_APPROVALS_MAX = 20
/** Characters of a reason, and of the JSON of the arguments, of a settled approval there; the log has all of it. */
export const SETTLED_TEXT_CHARS_MAX = 500
export const SETTLED_ARGUMENTS_CHARS_MAX = 1_000
/** Checkpoints kept in the fold; older ones are in the log. */
export const CHECKPOINTS_MAX = 50
/** Artifacts kept in the fold; older ones are in the log. */
export const ARTIFACTS_MAX = 1_000
/** Name, kind and content type of an artifact, which the fold holds: file systems stop at a quarter of this. */
export const LABEL_CHARS_MAX = 1_000
/** Characters shown of a queued prompt: each move of the queue sends all queued prompts to each client again. */
export const QUEUED_PROMPT_CHARS_MAX = 20_000
/** Events of one answer whose place in it is noted: each is about 40 characters of the state that clients load. */
export const EVENT_PLACES_MAX = 200
/** Branches that may hang from one another: a read follows them all, and a thousand levels take a few milliseconds. */
export const LINEAGE_MAX = 1_000
/** Events between snapshots: opening folds at most this many, and a branch far back some two or three times as many. */
export const SNAPSHOT_EVERY = 500
/** Characters of a settled piece of a long answer: about a row of the store. Each snapshot may write less than this of it again. */
export const PIECE_CHARS = 32_000
/** Events read per page while a subscriber catches up. */
export const READ_PAGE = 1_000
/** Characters of JSON in such a page: about a row of the store, read and encoded in a millisecond or two. */
export const READ_CHARS = 32_000
/** Encoded text kept for readers that catch up behind each other: the distance from the first to the last. */
export const ENCODED_PAGES_CHARS = 2_000_000
/** Unsent bytes of a listener before it is disconnected and has to resume with its cursor. */
export const LISTENER_BYTES_MAX = 2_000_000
/** Sessions kept in memory with nothing to do. */
export const IDLE_SESSIONS_MAX = 500
/** Memory for loaded sessions: a quarter of the smallest default heap of Node. A tenant gets half of it. */
export const MEMORY_BYTES = 256 * 1024 * 1024
/** Eviction frees memory down to this part of a limit, so that it does not run again at once. */
export const MEMORY_TARGET_RATIO = 0.9
/** A character takes two bytes at most, and in most texts one. */
export const BYTES_PER_CHAR = 2
/** An empty session: its queue, timers and folds. */
export const SESSION_BYTES_MIN = 8 * 1024
/** Characters that a session holds before it takes no more prompts: a Durable Object has memory for twice as much. */
export const SESSION_CHARS_MAX = 32_000_000
/** Sessions opened per supervisor round. */
export const DUE_PAGE = 200
/** The latest time that a Date can hold; an expiry beyond it means none. */
export const TIME_MAX = 8_640_000_000_000_000
/** A result as JSON: above this it becomes an artifact too, since rows have a limit. */
export const RESULT_CHARS_MAX = 500_000
/** Turns whose engine session can be resumed or forked; an edit further back starts a new engine session. */
export const RESUME_HANDLES_MAX = 200
/** Resume points kept in the fold; older ones are in the log. */
export const RESUME_POINTS_MAX = 1_000
/** Levels of nesting in values from callers and agents: later code walks them recursively. */
export const DEPTH_MAX = 100
/** Values in one body or message: this many named ones hold the event loop for a tenth of a second. */
export const VALUES_MAX = 50_000
/** The memory of a session: every snapshot has it whole, so that it stays below 2 MB. Larger things belong in artifacts. */
export const SESSION_MEMORY_KEYS_MAX = 256
export const SESSION_MEMORY_VALUE_CHARS_MAX = 8_000
export const SESSION_MEMORY_KEY_CHARS_MAX = 128
/** Proposals for the memory that can be decided: as many as the memory has keys. Every snapshot has their labels. */
export const MEMORY_PROPOSALS_MAX = 256
/** A larger proposal is not read: no value of the memory has more bytes, with each character escaped. */
export const PROPOSAL_BYTES_MAX = 6 * SESSION_MEMORY_VALUE_CHARS_MAX
/** Decisions in the fold's audit index; older ones are in the log. */
export const AUDIT_KEPT_MAX = 1_000
/** Audit rows and sources of memory in a health snapshot: each change writes them again. */
export const AUDIT_MAX = 12
export const MEMORY_MAX = 5
/** Characters of a prompt's first line that become the title. */
export const TITLE_CHARS_MAX = 80
/** Characters of a result that a reference to its artifact quotes. */
export const PREVIEW_CHARS = 500
/** Characters of a text quoted in a summary. */
export const SUMMARY_CHARS_MAX = 160
/** Steps and citations in a detail: a page that a person reads. Older ones are in the log. */
export const STEPS_MAX = 50
export const CITATIONS_MAX = 50
/** Warnings about the context, and compactions, in a detail: more say nothing new. */
export const NOTICES_MAX = 10
/** Envelopes of a channel, and tools among its participants: a page that a person reads. */
export const ENVELOPES_MAX = 20
export const PARTICIPANTS_MAX = 100
/** Characters of JSON in such a page. */
export const CHANNEL_CHARS_MAX = 1_000_000
/** Characters of a text in a directory row: a page has 500 rows, and a message between Durable Objects at most 32 MiB. */
export const ROW_TEXT_CHARS_MAX = 2_000
/** JSON of the arguments of all open approvals in a directory row; larger ones are in the session only. */
export const ROW_ARGUMENTS_CHARS_MAX = 16_000
/** JSON of a custom event: every client gets all of it. Larger data belongs in an artifact. */
export const CUSTOM_CHARS_MAX = 64_000
/** Characters of the prompt that a task graph shows as its goal. */
export const GOAL_CHARS_MAX = 2_000
/** A longer name gets no suggestion: it is no typing error, and comparing it takes time. */
export const SUGGESTED_NAME_CHARS_MAX = 64
/** Names in an operation's path: each is a recursive call, and no state of ours is a tenth as deep. */
export const PATH_MAX = 100
/** Cost and tokens in one report: sums of them stay finite, and whole numbers stay exact. */
export const COST_USD_MAX = 1e9
export const TOKENS_MAX = 1e12
/** Characters that a number, a boolean or a name counts for in `approximateChars`. */
export const VALUE_CHARS = 8
/** A budget used to this part of its limit is under pressure: there is time left to react. */
export const BUDGET_HIGH_RATIO = 0.8
/** Entries of execution feedback that wait for the next prompt: as many as one request may bring; older ones have lost their worth. */
export const FEEDBACK_WAITING_MAX = 1_000
/** Rules that a session has granted: an agent has a few dozen rules, and those that it has no more take the oldest places. */
export const SESSION_GRANTS_MAX = 200
/** Tools that searches have added in a session: with more, a request holds more schemas than conversation. */
export const FOUND_TOOLS_MAX = 40
/** Characters of a notice: one or two lines of a terminal. */
export const NOTICE_CHARS_MAX = 300
/** A longer wait before a retry is not believed: no provider asks for more than a day. */
export const NOTICE_DELAY_MS_MAX = 86_400_000
/** A misspelt name of a field is repeated to its caller, who can see by this much which one it is. */
export const FIELD_NAME_CHARS_MAX = 100
/** Attempts of a run that is interrupted again and again: five absences of a server that are each too long for its engine are an outage. */
export const INTERRUPTED_ATTEMPTS_MAX = 5
