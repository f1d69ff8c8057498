// The operator's declarations of MCP servers for an engine, with the field names of `mcp()`, and their validation at startup.
import { matchesGlob } from '@bridle/agents/loop/policy/glob'
import { OWN_MCP_SERVER } from '@bridle/agents/served/mcp-answers'
import { present } from '@bridle/events/json'
import { type McpAddress, type McpProgram, serverProblem } from '@bridle/mcp/server'
import type { RunMcpServer } from '../protocol/protocol.ts'

/** An MCP server that the engine starts inside its sandbox. It gets `env` and a few variables such as PATH, and none of the server's. */
export type EngineMcpProgram = Pick<McpProgram, 'command' | 'args' | 'env' | 'cwd'> & { readonly url?: never }

/** An MCP server at an address. The server adds `headers`, which no sandbox sees. */
export type EngineMcpAddress = Pick<McpAddress, 'url' | 'headers'> & {
  readonly command?: never
  /** The most requests that one run may make. Default 500. */
  readonly requests?: number
  /** Takes these tools only, by the names that they have on the server. `*` stands for any characters. */
  readonly include?: readonly string[]
  /** Leaves these tools out. */
  readonly exclude?: readonly string[]
}

/** The MCP servers of an engine by name. */
export interface EngineMcpServers {
  readonly [name: string]: EngineMcpProgram | EngineMcpAddress
}

/** Default limit for the requests of one run to one server; it stops an agent that calls tools in a loop. */
export const MCP_REQUESTS_MAX = 500

export const isMcpAddress = (server: EngineMcpProgram | EngineMcpAddress): server is EngineMcpAddress =>
  server.url !== undefined

/** The servers for the runner's query, without URLs and headers. */
export const runMcpServers = (servers: EngineMcpServers = {}): readonly RunMcpServer[] =>
  Object.entries(servers).map(([name, server]) => {
    if (isMcpAddress(server)) return { name, relay: true }
    const { command, args, env, cwd } = server
    return { name, command, ...present({ args: args && [...args], env, cwd }) }
  })

export const toolFilter =
  ({ include, exclude = [] }: EngineMcpAddress) =>
  (name: string): boolean => {
    const isIn = (globs: readonly string[]) => globs.some((glob) => matchesGlob(glob, name))
    return (include === undefined || isIn(include)) && !isIn(exclude)
  }

/** A sentence about the first invalid declaration; null = all are valid. It never contains a value, which may be a secret. */
export const mcpServersProblem = (servers: unknown): string | null => {
  if (servers === undefined || servers === null) return null
  if (!isFields(servers)) return '"mcp" must be an object of MCP servers by name.'
  const seen = new Map<string, string>()
  for (const [name, server] of Object.entries(servers)) {
    const like = seen.get(comparable(name))
    const problem =
      nameProblem(name) ??
      (like === undefined ? null : `its name differs from "${like}" only in case, - or _.`) ??
      declarationProblem(name, server)
    if (problem !== null) return `the MCP server "${name}": ${problem}`
    seen.set(comparable(name), name)
  }
  return null
}

/** Engines name tools `mcp__<server>__<tool>`, so a server name with `__` could collide with another server's tool. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,30}[A-Za-z0-9]$|^[A-Za-z0-9]$/

const nameProblem = (name: string): string | null => {
  if (!NAME.test(name))
    return 'its name may have at most 32 letters, digits, single _ and -, and must begin and end with a letter or digit.'
  return comparable(name) === OWN_MCP_SERVER ? 'its name is reserved for your own tools. Choose another.' : null
}

/** Codex replaces `-` with `_` in tool names. */
const comparable = (name: string): string => name.toLowerCase().replaceAll('-', '_')

const FIELDS = {
  program: ['command', 'args', 'env', 'cwd'],
  address: ['url', 'headers', 'requests', 'include', 'exclude'],
} as const

const declarationProblem = (name: string, server: unknown): string | null => {
  if (!isFields(server)) return 'it must be { url } or { command }.'
  const { requests, include, exclude } = server
  const options = { ...(include !== undefined && { include }), ...(exclude !== undefined && { exclude }) }
  const problem = serverProblem({ ...server, name }, options)
  if (problem !== null) return problem
  const known: readonly string[] = server.url === undefined ? FIELDS.program : FIELDS.address
  const unknown = Object.keys(server).find((field) => !known.includes(field))
  if (unknown !== undefined) return `"${unknown}" is not one of ${known.join(', ')}.`
  if (requests !== undefined && !(Number.isSafeInteger(requests) && Number(requests) >= 0))
    return '"requests" must be a whole number, 0 or more.'
  return isFields(server.headers) ? headersProblem(server.headers) : null
}

const headersProblem = (headers: Fields): string | null => {
  const wrong = Object.entries(headers).find(
    ([name, value]) => !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(String(value)),
  )
  return wrong === undefined ? null : 'one of its headers has a name or a value that HTTP does not take.'
}

type Fields = { readonly [name: string]: unknown }
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
