import { TIMER_MS_MAX } from '@bridle/agents/session/limits'
import { approvalProblem, type ToolApprovalTerms } from '@bridle/agents/tools/tool'
import type { JsonObject } from '@bridle/events/json'

/** Prefixes every tool name. Leaves half of the 64 characters to the tool. */
const SERVER_NAME_CHARS_MAX = 32

/** An MCP server: a program to start, or an address. */
export type McpServer = McpProgram | McpAddress

/** An MCP server started as a child process that speaks over stdio. Node only. */
export interface McpProgram {
  /** Prefix of every tool name: letters, digits, `_` and `-`, at most 32. */
  readonly name: string
  /** The program. */
  readonly command: string
  /** The arguments of the program. */
  readonly args?: readonly string[]
  /** Environment variables. The program also inherits PATH, HOME and a few others, but no secrets. */
  readonly env?: Readonly<Record<string, string>>
  /** Working directory. Default: the current one. */
  readonly cwd?: string
  /** Error output: discarded (the default), or inherited. */
  readonly stderr?: 'ignore' | 'inherit'
  /** A server has either `command` or `url`. */
  readonly url?: never
}

/** An MCP server reached over streamable HTTP. */
export interface McpAddress {
  /** Prefix of every tool name: letters, digits, `_` and `-`, at most 32. */
  readonly name: string
  /** An http or https address. */
  readonly url: string | URL
  /** Headers of every request, such as Authorization. A function is called for each request. */
  readonly headers?: McpHeaders | ((run: McpRun | null) => McpHeaders | Promise<McpHeaders>)
  /** A server has either `command` or `url`. */
  readonly command?: never
}

/** Headers of a request. */
export type McpHeaders = Readonly<Record<string, string>>

/** The run that a connection belongs to. */
export interface McpRun {
  /** The id of the session. */
  readonly sessionId: string
  /** The tenant of the session. */
  readonly tenant: string
}

/** How the tools of an MCP server are used. */
export interface McpOptions {
  /** Trusts the tool effects that the server declares. Otherwise every call counts as unsafe. */
  readonly trusted?: boolean
  /** Uses only these tools, by their names on the server. `*` matches any characters. */
  readonly include?: readonly string[]
  /** Excludes these tools. */
  readonly exclude?: readonly string[]
  /** Prefix of every tool name, in place of the server's name. Empty: no prefix. */
  readonly prefix?: string
  /** Timeout of a call in milliseconds. Default: `limits.toolMs` of the agent, one minute. */
  readonly timeoutMs?: number
  /** Requires approval for every call, or for the calls that the function selects. */
  readonly approve?: boolean | ToolApprovalTerms | ((call: McpCall) => boolean | ToolApprovalTerms)
  /** Gives each run its own connection, for stateful servers. Otherwise the runs of a process share one. */
  readonly isolated?: boolean
  /** Milliseconds that a shared connection stays open after its last run. Default: one minute. */
  readonly idleMs?: number
}

/** A call that may need an approval. */
export interface McpCall {
  /** The tool's name on the server. */
  readonly tool: string
  /** The arguments. */
  readonly input: JsonObject
}

export const isProgram = (server: McpServer): server is McpProgram => server.command !== undefined

export const serverProblem = (server: unknown, options: unknown): string | null => {
  if (!isFields(server)) return 'it takes a server: mcp({ name, command, args }) or mcp({ name, url }).'
  const { name, command, url } = server
  if (typeof name !== 'string' || !NAME.test(name))
    return `the name of a server may have letters, digits, _ and - only, at most ${SERVER_NAME_CHARS_MAX}.`
  if ((command === undefined) === (url === undefined)) return `"${name}" needs either a command or a url.`
  return (
    (command === undefined ? addressProblem(name, server) : programProblem(name, server)) ?? optionsProblem(options)
  )
}

type Fields = Readonly<Record<string, unknown>>
const NAME = new RegExp(`^[A-Za-z0-9_-]{1,${SERVER_NAME_CHARS_MAX}}$`)
const PREFIX = new RegExp(`^[A-Za-z0-9_-]{0,${SERVER_NAME_CHARS_MAX}}$`)

const programProblem = (name: string, { command, args, env, cwd, stderr }: Fields): string | null => {
  if (!isText(command) || command === '') return `the command of "${name}" is not a text.`
  if (args !== undefined && !(Array.isArray(args) && args.every(isText))) return `the args of "${name}" are not texts.`
  if (env !== undefined && !isTextRecord(env)) return `the env of "${name}" is not an object of texts.`
  if (cwd !== undefined && !isText(cwd)) return `the cwd of "${name}" is not a text.`
  return stderr === undefined || stderr === 'ignore' || stderr === 'inherit'
    ? null
    : `stderr of "${name}" is neither "ignore" nor "inherit".`
}

const addressProblem = (name: string, { url, headers }: Fields): string | null => {
  const address = URL.parse(String(url))
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:')
    return `the url of "${name}" does not begin with http:// or https://.`
  if (address.username !== '' || address.password !== '')
    return `the url of "${name}" has a password. Send it in headers.`
  return headers === undefined || typeof headers === 'function' || isTextRecord(headers)
    ? null
    : `the headers of "${name}" are neither an object of texts nor a function.`
}

const optionsProblem = (options: unknown): string | null => {
  if (options === undefined) return null
  if (!isFields(options)) return 'the options are not an object.'
  const { trusted, include, exclude, prefix, timeoutMs, approve, isolated, idleMs } = options
  for (const [option, value] of Object.entries({ trusted, isolated }))
    if (value !== undefined && typeof value !== 'boolean') return `${option} is not a boolean.`
  for (const [option, value] of Object.entries({ include, exclude }))
    if (value !== undefined && !(Array.isArray(value) && value.every(isText)))
      return `${option} is not a list of names.`
  for (const [option, value, least] of [['timeoutMs', timeoutMs, 1] as const, ['idleMs', idleMs, 0] as const])
    if (value !== undefined && !(typeof value === 'number' && value >= least && value <= TIMER_MS_MAX))
      return `${option} is not between ${least} and ${TIMER_MS_MAX}.`
  if (prefix !== undefined && !(isText(prefix) && PREFIX.test(prefix)))
    return `the prefix may have letters, digits, _ and - only, at most ${SERVER_NAME_CHARS_MAX}.`
  return approve === undefined || typeof approve === 'function' ? null : approvalProblem('approve', approve)
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
/** NUL cannot appear in arguments or headers. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')
const isTextRecord = (value: unknown): boolean => isFields(value) && Object.values(value).every(isText)
