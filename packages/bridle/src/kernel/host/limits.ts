// The limits of a host, with a line on why each number.

/** A session whose store failed is opened again after this: long enough for a short trouble to pass, short enough for a reader to wait. */
export const REOPEN_MS = 1_000
/** A host looks for due sessions this often: retries and expiries are given in seconds. */
export const SUPERVISE_MS = 1_000
/** The wall clock jumped when this much of it passed between two rounds: a round takes less, also on a busy machine. */
export const CLOCK_JUMP_MS = 10_000
/** Rounds between two reports of a directory that keeps failing: one line of the log in a minute. */
export const FAULT_REPORT_ROUNDS = 60
/** A command whose outcome is unknown is tried again this often: a store that fails more often in a row is down. */
export const OUTCOME_RETRIES_MAX = 3
/** Sessions that one search for an idle session visits: a host full of busy sessions must not be searched as a whole. */
export const EVICTION_LOOKS = 32
/** The first trial of a suspect: a run that kills its process when it starts does so within seconds. */
export const TRIAL_MS = 10_000
/** The longest trial of a suspect that survived earlier ones: all other runs wait for it. */
export const TRIAL_MS_MAX = 80_000
/** No trial begins later than this after the start of a process: the remaining suspects are tried after the next crash. */
export const QUARANTINE_MS = 30_000
/** A runner may take this long to let go of a removed session, before the next session of that id may open. */
export const RELEASE_MS = 10_000
/** After a search that left only busy sessions, the next one waits until they have grown by this factor: not with every token. */
export const SEARCH_GROWTH = 1.02
/** A child that fails for a passing reason is tried again as often as other background work. */
export const CHILD_RETRIES_MAX = 3
/** The result of a turn is among the last events before its end: behind it come at most the prompts that the end drops. */
export const TURN_END_EVENTS = 300
