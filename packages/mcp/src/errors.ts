// The errors of MCP servers. The code of an error that ends a call is the reason of its outcome in the log.
import { ToolFault } from '@bridle/agents/session/errors'

/** The kind of failure of an MCP server. */
export type McpErrorCode =
  /** `@modelcontextprotocol/client` is not installed. */
  | 'mcp_client_missing'
  /** The platform cannot start programs. */
  | 'mcp_program_unsupported'
  /** The server did not start, did not answer in time, or refused the connection. */
  | 'mcp_unavailable'
  /** The connection broke while the call was under way: nobody knows whether it happened. */
  | 'mcp_connection_lost'
  /** The server does not know the session any more. The call did not happen. */
  | 'mcp_session_lost'
  /** The server sent more than a client takes. */
  | 'mcp_flood'
  /** The server sent a message that is not one of the protocol. */
  | 'mcp_bad_message'
  /** The server has more tools than an agent takes. */
  | 'mcp_too_many_tools'
  /** The server had the tool when the run began, and has it no longer. */
  | 'mcp_tool_gone'
  /** The server refused the call. */
  | 'mcp_refused'
  /** The tool ran and says that it failed. */
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
