/** Wait before SIGTERM, and again before SIGKILL. Not longer than the MCP specification suggests. */
export const CLOSE_MS_MAX = 1_000
/** Per message and per HTTP response: the largest tool result plus its envelope. */
export const MESSAGE_BYTES_MAX = 16_000_000
