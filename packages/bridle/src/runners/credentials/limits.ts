// Limits of the credential proxy and of spending, with the reason for each number.

/** A provider computes a long answer that does not stream for minutes before it sends the first byte. */
export const PROVIDER_SILENCE_MS = 600_000
/** The vendors' own limit for a request. */
export const PROVIDER_BODY_BYTES_MAX = 32 * 1024 * 1024
/** Open requests of one run: no engine has as many; a program in a loop soon does. */
export const OPEN_REQUESTS_MAX = 32
/** The bodies of the open requests of one run: two of the largest, so that one run cannot fill the memory of the server. */
export const OPEN_REQUEST_BYTES_MAX = 64 * 1024 * 1024
/** A provider describes an error in a few hundred bytes; the rest of a longer description is cut. */
export const ERROR_BYTES_MAX = 1024 * 1024
/**
 * The longest line or whole answer that the meter reads, as large as the largest request. A larger one is passed on and
 * estimated.
 */
export const METERED_CHARS_MAX = 32 * 1024 * 1024
/** English text has about four characters per token; estimates need no better number. */
export const CHARS_PER_TOKEN = 4
/** No model takes more, so no request is billed for more. */
export const CONTEXT_TOKENS_MAX = 1_000_000
/** The longest answer that any model gives; assumed where a request sets no limit. */
export const ANSWER_TOKENS_MAX = 128_000
/** A block of content lies this deep at most: message, content, block, tool result, block, source. */
export const CONTENT_DEPTH_MAX = 8
