// Limits of names and policies, with the reason for each number; egress-limits.ts has those of connections.

/** A name may have dozens of addresses; one of the first few answers, or the host is down. */
export const ADDRESSES_TRIED_MAX = 3
/** The longest name that DNS allows. */
export const HOST_CHARS_MAX = 253
/** Each request is compared with every entry; a longer list is a mistake. */
export const POLICY_ENTRIES_MAX = 1_000
/** A notice is one short line; further hosts are counted. */
export const POLICY_HOSTS_SHOWN = 8
