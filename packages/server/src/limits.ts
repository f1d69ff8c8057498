/** The messages that one socket may send: far above what a person or a page does; a command more costs about what a request does. */
export const SOCKET_RATE = { windowMs: 10_000, maxMessages: 20_000 }
