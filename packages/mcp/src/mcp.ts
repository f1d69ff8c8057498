import type { AskingCallContext } from '@bridle/agents/loop/calls/call-questions'
import { matchesGlob } from '@bridle/agents/loop/policy/glob'
import { type Tool, tool } from '@bridle/agents/tools/tool'
import type { ToolSource } from '@bridle/agents/tools/tool-source'
import { hashText, type JsonObject } from '@bridle/events/json'
import { argumentSchema } from './argument-check.ts'
import { failureText, resultValue } from './call-result.ts'
import type { McpConnection } from './connection.ts'
import type { McpCaller } from './elicitation.ts'
import { McpError } from './errors.ts'
import type { ListedTool } from './listed-tool.ts'
import { isWorker } from './platform.ts'
import { type McpOptions, type McpServer, serverProblem } from './server.ts'
import { type ConnectionLease, SharedConnection } from './shared-connection.ts'

/** Consecutive runs of a conversation reuse a connection, but an idle program costs memory. */
const IDLE_MS = 60_000
/** 24 bits, enough to tell the tools of one server apart. */
const NAME_HASH_CHARS = 6
/** The limit of model providers. */
const NAME_CHARS_MAX = 64

/**
 * Exposes the tools of an MCP server to an agent: `tools: [mcp({ name: 'docs', url: 'https://…/mcp' })]`. The tools are
 * named `docs_…`. Throws a TypeError that names an invalid field.
 */
export const mcp = (server: McpServer, options: McpOptions = {}): ToolSource => {
  const problem = serverProblem(server, options)
  if (problem !== null) throw new TypeError(`mcp(): ${problem}`)
  const shared = new SharedConnection(server, null, options.idleMs ?? IDLE_MS)
  return {
    name: server.name,
    open: async (context) => {
      const { sessionId, tenant } = context
      const isOwn = options.isolated || isWorker()
      const lease = (isOwn ? new SharedConnection(server, { sessionId, tenant }, 0) : shared).lease()
      try {
        const { signal } = context
        const listed = await withConnection(lease, signal, (each) => each.listTools(nameFilter(options), signal))
        signal.throwIfAborted()
        return { tools: toolsOf(server, options, lease, listed), close: () => lease.release() }
      } catch (error) {
        lease.release()
        throw error
      }
    },
  }
}

const nameFilter = ({ include, exclude = [] }: McpOptions): ((name: string) => boolean) => {
  const isIn = (globs: readonly string[], name: string) => globs.some((glob) => matchesGlob(glob, name))
  return (name) => (include === undefined || isIn(include, name)) && !isIn(exclude, name)
}

/** A rewritten name never displaces the original name of another tool. */
const toolsOf = (
  server: McpServer,
  options: McpOptions,
  lease: ConnectionLease,
  listed: readonly ListedTool[],
): Tool[] => {
  const prefix = options.prefix ?? server.name
  const named = listed.map((each) => ({ each, name: toolName(prefix, each.name) }))
  const isChanged = ({ each, name }: (typeof named)[number]) => !name.endsWith(each.name)
  const tools = new Map<string, Tool>()
  for (const entry of [...named.filter((entry) => !isChanged(entry)), ...named.filter(isChanged)])
    if (!tools.has(entry.name)) tools.set(entry.name, toolOf(server, options, lease, entry.each, entry.name))
  return [...tools.values()]
}

const toolOf = (
  server: McpServer,
  { trusted = false, approve = false, timeoutMs }: McpOptions,
  lease: ConnectionLease,
  listed: ListedTool,
  name: string,
): Tool =>
  tool({
    ...{ name, description: listed.description, input: argumentSchema(listed.inputSchema) },
    // An untrusted server could declare a payment to be read-only.
    effect: trusted ? listed.claimedEffect : 'unsafe',
    approve:
      typeof approve === 'function' ? (input) => approve({ tool: listed.name, input: input as JsonObject }) : approve,
    ...(timeoutMs !== undefined && { timeoutMs }),
    run: async (input, context) => {
      const { signal, session } = context
      const { ask } = context as Partial<AskingCallContext>
      const result = await callOnce(lease, listed, input as JsonObject, { run: lease, signal, ask })
      if (result.isError) throw new McpError('mcp_tool_failed', server.name, failureText(result) || 'The tool failed.')
      return resultValue(name, result, (file, text, type) => session.artifact(file, text, type))
    },
  })

const callOnce = async (lease: ConnectionLease, listed: ListedTool, input: JsonObject, caller: McpCaller) => {
  const { signal } = caller
  try {
    return await withConnection(lease, signal, (connection) => connection.callTool(listed, input, caller))
  } catch (error) {
    if (signal.aborted) lease.retire()
    throw error
  }
}

/** A server that lost the session has not executed the request, so a retry is safe. */
const withConnection = async <T>(
  lease: ConnectionLease,
  signal: AbortSignal,
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> => {
  const connection = await lease.connection(signal)
  try {
    return await work(connection)
  } catch (error) {
    if (!(error instanceof McpError && error.code === 'mcp_session_lost')) throw error
    void connection.close()
    return work(await lease.connection(signal))
  }
}

/** `<prefix>_<tool>`. Names that providers reject get a hash of the tool, so that they stay unique and stable. */
export const toolName = (prefix: string, tool: string): string => {
  const name = prefix === '' ? tool : `${prefix}_${tool}`
  if (FITTING.test(name)) return name
  const hash = `_${hashText(tool).slice(-NAME_HASH_CHARS)}`
  return name.replace(STRANGE, '_').slice(0, NAME_CHARS_MAX - hash.length) + hash
}

const FITTING = new RegExp(`^[A-Za-z0-9_-]{1,${NAME_CHARS_MAX}}$`)
const STRANGE = /[^A-Za-z0-9_-]/gu
