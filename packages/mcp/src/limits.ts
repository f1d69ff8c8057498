// Limits of both transports.

/** Time for a server to end by itself, and again after SIGTERM: as long as the specification of MCP suggests, or less. */
export const CLOSE_MS_MAX = 1_000
/** Bytes of one message, and of one HTTP answer: as much as the result of a tool may have, and room for its wrapping. */
export const MESSAGE_BYTES_MAX = 16_000_000
