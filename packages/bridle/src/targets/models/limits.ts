// Every limit of the models of a server, with a line on why that number.

/** Characters of an error's body that are read: the sentences of a provider, not the page of a proxy. */
export const ERROR_BODY_CHARS_MAX = 20_000
/** Characters of one line of a stream: a whole answer in one line, as some servers send the arguments of calls. */
export const LINE_CHARS_MAX = 2_000_000
/** Bytes that become text at once for base64: the most arguments that every engine takes in one call. */
export const BASE64_PIECE_BYTES = 8_192
/** Time to import a package of a provider: the largest take a second, and a run must not hang. */
export const LOAD_MS_MAX = 30_000
