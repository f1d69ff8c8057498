// Warnings about MCP servers that an engine could not connect to. The run continues without them.
import { truncate } from '@bridle/kernel/text/truncate'

/** Characters of an error message of a server, which may have any length. */
const REASON_CHARS_MAX = 500

export const MCP_WARNING = 'mcp_unavailable'

export const mcpProblemMessage = (name: string, reason: string): string => {
  const [line = ''] = truncate(reason.trim(), REASON_CHARS_MAX).split('\n')
  return `The run continues without the MCP server "${name}": ${line === '' ? 'it could not be started or reached.' : line}`
}
