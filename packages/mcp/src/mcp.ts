// `mcp(server)` makes a source of tools of an MCP server, for the `tools` of an agent with a model.
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

/** Time that a connection stays open for the next run: a conversation uses one connection, and an idle program costs memory. */
const IDLE_MS = 60_000
/** Characters of the hash in a name that had to be changed: 24 bits tell the tools of a server apart. */
const NAME_HASH_CHARS = 6
/** Characters of a tool's name: providers take no more. */
const NAME_CHARS_MAX = 64

/**
 * Makes the tools of an MCP server tools of an agent: `tools: [mcp({ name: 'docs', url: 'https://…/mcp' })]`. The tools are named
 * `docs_…`. Throws a TypeError that names the field that is wrong.
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

/** A name that had to be changed never takes the place of one that another tool has by itself. */
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
    // A server that nobody vouches for could call a payment a reading.
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

/** A server that does not know the session has not looked at the request, so that a second attempt is the first that counts. */
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

/**
 * `<prefix>_<tool>`. A name that providers do not take is changed, and gets a hash so that it stays unique. It depends on
 * the tool alone: a tool has the same name in every run.
 */
export const toolName = (prefix: string, tool: string): string => {
  const name = prefix === '' ? tool : `${prefix}_${tool}`
  if (FITTING.test(name)) return name
  const hash = `_${hashText(tool).slice(-NAME_HASH_CHARS)}`
  return name.replace(STRANGE, '_').slice(0, NAME_CHARS_MAX - hash.length) + hash
}

/** As `tool()` takes them. */
const FITTING = new RegExp(`^[A-Za-z0-9_-]{1,${NAME_CHARS_MAX}}$`)
const STRANGE = /[^A-Za-z0-9_-]/gu
