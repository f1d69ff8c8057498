// MCP server configuration for Claude Code. It is sent over standard input because every process on the machine can read a command
// line.
import { isDeepStrictEqual } from 'node:util'
import { withTimeout } from '../../calls/timeout.ts'
import type { EngineMcpServer } from '../engine.ts'
import { mcpProblemMessage } from '../mcp-problems.ts'

/** Servers connect within a second or two. A server that hangs must not delay the turn for long. */
const CONNECT_MS = 15_000
/** Connection timeout of Claude Code for one server; shorter than ours, so that the other servers are reported in time. */
export const MCP_STARTUP_MS = '10000'
/** A call may wait days for an approval, and Claude Code's timeout does not pause for it. */
const CALL_MS_MAX = 7 * 24 * 3_600_000

export interface McpControl {
  setMcpServers?(servers: {
    readonly [name: string]: object
  }): Promise<{ readonly errors?: { [name: string]: string } }>
  mcpServerStatus?(): Promise<readonly McpStatus[]>
}

interface McpStatus {
  readonly name: string
  readonly status: string
  readonly error?: string
}

export class ClaudeMcpServers {
  readonly #control: McpControl
  #current: { readonly [name: string]: object } = {}
  /** Problems that were reported; each is reported once. */
  #told = new Map<string, string>()

  constructor(control: McpControl) {
    this.#control = control
  }

  /** Connects the servers. Returns a sentence for each unavailable one, unless it was reported before. */
  async connect(servers: readonly EngineMcpServer[]): Promise<readonly string[]> {
    const wanted = Object.fromEntries(servers.map((server) => [server.name, configOf(server)]))
    if (isDeepStrictEqual(wanted, this.#current)) return []
    this.#current = wanted
    const set = this.#control.setMcpServers?.(wanted)
    if (!set) return this.#tell(servers.map(({ name }) => [name, 'This version of Claude Code takes none.']))
    const result = await withTimeout(
      CONNECT_MS,
      set.catch(({ message }: Error) => ({ errors: allOf(servers, message) })),
    )
    const listed = await this.#statuses()
    const isSilent = result === 'late' && listed.length === 0
    const reported = isSilent ? allOf(servers, LATE) : result === 'late' ? {} : (result.errors ?? {})
    const errors = new Map(Object.entries(reported))
    for (const { name, status, error } of listed)
      if (Object.hasOwn(wanted, name) && status !== 'connected' && status !== 'disabled')
        errors.set(name, errors.get(name) ?? error ?? STATUSES[status] ?? status)
    // Claude Code's own message only names the relay.
    for (const server of servers) {
      const problem = 'url' in server ? server.problem?.() : undefined
      if (problem !== undefined && errors.has(server.name)) errors.set(server.name, problem)
    }
    return this.#tell([...errors])
  }

  /** Ends the programs and the connections of a turn. */
  async disconnect(): Promise<void> {
    if (Object.keys(this.#current).length === 0) return
    this.#current = {}
    const ended = this.#control.setMcpServers?.({}).catch(() => {})
    if (ended) await withTimeout(CONNECT_MS, ended)
  }

  async #statuses(): Promise<readonly McpStatus[]> {
    const listed = await withTimeout(
      CONNECT_MS,
      this.#control.mcpServerStatus?.().catch(() => []) ?? Promise.resolve([]),
    )
    return listed === 'late' ? [] : listed
  }

  #tell(problems: readonly (readonly [name: string, error: string])[]): readonly string[] {
    const news = problems.filter(([name, error]) => this.#told.get(name) !== error)
    this.#told = new Map(problems)
    return news.map(([name, error]) => mcpProblemMessage(name, error))
  }
}

const allOf = (servers: readonly EngineMcpServer[], message: string): { [name: string]: string } =>
  Object.fromEntries(servers.map(({ name }) => [name, message]))

const LATE = 'It did not answer in time.'

const STATUSES: { readonly [status: string]: string | undefined } = {
  pending: LATE,
  failed: 'It could not be started or reached.',
  'needs-auth': 'It asks for a login.',
}

const configOf = (server: EngineMcpServer): object => {
  if ('url' in server) return { type: 'http', url: server.url, timeout: CALL_MS_MAX }
  const { command, args = [], env = {}, cwd = '.' } = server
  const kept = [...KEPT_VARIABLES, ...Object.keys(env)].join(' ')
  return {
    type: 'stdio',
    command: '/bin/sh',
    args: ['-c', CLEAN_START, kept, cwd, command, ...args],
    env,
    timeout: CALL_MS_MAX,
  }
}

/** Sets the working folder and removes Claude Code's own variables, which its servers would inherit. */
const CLEAN_START = [
  'kept=" $0 "; cd "$1" || exit 1; shift',
  'for name in $(env | sed -n "s/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p"); do',
  'case "$kept" in *" $name "*) ;; *) unset "$name" ;; esac; done',
  'exec "$@"',
].join('\n')

/** Variables that programs need, the sandbox's network proxy, and the marks that identify the sandbox's processes. */
const KEPT_VARIABLES = [
  ...['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'PWD'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0', 'BRIDLE_ENGINE_MARK', 'BRIDLE_SANDBOX_ID'],
]
