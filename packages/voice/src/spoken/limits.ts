/** Longer than a breath, shorter than a reply that feels late. */
export const SILENCE_MS = 700
/** A round trip on a slow mobile network. */
export const PLAYED_WAIT_MS = 500
/** Seconds of audio as base64, far more than providers send at once. */
export const PROVIDER_EVENT_CHARS_MAX = 4_000_000
