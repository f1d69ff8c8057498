// MCP server configuration for Codex. It is sent with the thread over standard input because every process on the machine can read a
// command line.
import { type JsonObject, present } from '@bridle/events/json'
import type { EngineMcpServer } from '../engine.ts'

/** Codex stops waiting for a server after this time. */
const STARTUP_SECONDS = 10
/** A call may wait days for an approval; Codex's default timeout is one minute. */
const CALL_SECONDS_MAX = 7 * 24 * 3_600

export const codexMcpServers = (servers: readonly EngineMcpServer[] = []): JsonObject =>
  servers.length === 0
    ? {}
    : { config: { mcp_servers: Object.fromEntries(servers.map((server) => [server.name, configOf(server)])) } }

const configOf = (server: EngineMcpServer): JsonObject => {
  const times = { startup_timeout_sec: STARTUP_SECONDS, tool_timeout_sec: CALL_SECONDS_MAX }
  if ('url' in server)
    return {
      ...{ url: server.url, ...times },
      // The server behind it asks where it must.
      ...(server.approved && { default_tools_approval_mode: 'approve' }),
    }
  const { command, args = [], env, cwd } = server
  return { command, args, ...present({ env, cwd }), env_vars: KEPT_VARIABLES, ...times }
}

/** The sandbox's network proxy, and the marks that identify its processes. Codex passes PATH and HOME anyway. */
const KEPT_VARIABLES = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0', 'BRIDLE_ENGINE_MARK', 'BRIDLE_SANDBOX_ID'],
]
