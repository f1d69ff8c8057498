/** Far more than a person or page sends. An excess command costs about as much as a request. */
export const SOCKET_RATE = { windowMs: 10_000, maxMessages: 20_000 }
