// The entry for MCP servers as tools of an agent.
export type { ToolApprovalTerms } from '@bridle/agents/tools/tool'
export type { OpenTools, ToolSource, ToolSourceContext } from '@bridle/agents/tools/tool-source'
export { McpError, type McpErrorCode } from './errors.ts'
export { mcp } from './mcp.ts'
export type { McpAddress, McpCall, McpHeaders, McpOptions, McpProgram, McpRun, McpServer } from './server.ts'
