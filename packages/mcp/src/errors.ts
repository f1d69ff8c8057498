// The code of an error that ends a call is logged as the reason of its outcome.
import { ToolFault } from '@bridle/agents/session/errors'

/** Why an MCP server failed. */
export type McpErrorCode =
  /** `@modelcontextprotocol/client` is not installed. */
  | 'mcp_client_missing'
  /** The platform cannot start programs. */
  | 'mcp_program_unsupported'
  /** The server did not start, did not answer in time, or refused the connection. */
  | 'mcp_unavailable'
  /** The connection broke during the call. Whether the call happened is unknown. */
  | 'mcp_connection_lost'
  /** The server lost the session. The call did not happen. */
  | 'mcp_session_lost'
  /** The server exceeded a size limit. */
  | 'mcp_flood'
  /** The server violated the protocol. */
  | 'mcp_bad_message'
  /** The server has more tools than the limit. */
  | 'mcp_too_many_tools'
  /** The tool was removed during the run. */
  | 'mcp_tool_gone'
  | 'mcp_refused'
  /** The tool ran and reported a failure. */
  | 'mcp_tool_failed'

/** An MCP server failed, or refused a call. */
export class McpError extends ToolFault {
  /** The code to match. */
  declare readonly code: McpErrorCode
  /** The name of the server. */
  readonly server: string

  constructor(code: McpErrorCode, server: string, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.name = 'McpError'
    this.server = server
  }
}
