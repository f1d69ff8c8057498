// The entry for MCP servers as tools of an agent.
export type { ToolApprovalTerms } from '../agents/tools/tool.ts'
export type { OpenTools, ToolSource, ToolSourceContext } from '../agents/tools/tool-source.ts'
export { McpError, type McpErrorCode } from './errors.ts'
export { mcp } from './mcp.ts'
export type { McpAddress, McpCall, McpHeaders, McpOptions, McpProgram, McpRun, McpServer } from './server.ts'
