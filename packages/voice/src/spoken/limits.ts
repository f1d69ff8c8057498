// Every limit of lines, with a line on why that number.

/** A pause of the speaker that ends a turn: longer than a breath, shorter than a reply that feels late. */
export const SILENCE_MS = 700
/** Time for a client to report how much it has played: a round trip on a slow mobile network. */
export const PLAYED_WAIT_MS = 500
/** Characters of one message of a provider: seconds of audio as base64, far more than providers send at once. */
export const PROVIDER_EVENT_CHARS_MAX = 4_000_000
