// An MCP server as a child process, with one JSON message per line. The client package's transport is not used, because
// it does not kill grandchildren.

import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { McpError, type McpErrorCode } from './errors.ts'
import { CLOSE_MS_MAX, MESSAGE_BYTES_MAX } from './limits.ts'
import type { McpClientModule } from './platform.ts'
import type { McpProgram } from './server.ts'

/** Output between two responses. Log lines and progress are far smaller, and a flood costs CPU. */
const NOISE_BYTES_MAX = 64_000_000

export class ProgramTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #server: McpProgram
  readonly #client: McpClientModule
  readonly #onfault: (fault: McpError) => void
  #child: ChildProcess | null = null
  #line: Buffer[] = []
  #lineBytes = 0
  #bytesSinceAnswer = 0

  constructor(client: McpClientModule, server: McpProgram, onfault: (fault: McpError) => void) {
    this.#client = client
    this.#server = server
    this.#onfault = onfault
  }

  async start(): Promise<void> {
    const { command, args = [], cwd, stderr = 'ignore' } = this.#server
    const isGuarded = process.platform !== 'win32'
    const [file, ...rest] = isGuarded ? ['/bin/sh', '-c', GUARDED, 'sh', command, ...args] : [command, ...args]
    // Looked up at run time, because bundles for Workers must not import the module.
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(file as string, rest, {
      ...(cwd !== undefined && { cwd }),
      env: { ...inheritedVariables(), ...this.#server.env },
      // A separate process group, so that it can be killed as a whole.
      detached: isGuarded,
      windowsHide: true,
      stdio: ['pipe', 'pipe', stderr, 'pipe'],
    })
    this.#child = child
    for (const stream of child.stdio) stream?.on('error', () => {})
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    child.once('exit', (code, signal) => {
      this.#fail('mcp_connection_lost', `The program has ended (${code ?? signal}).${code === 127 ? NOT_FOUND : ''}`)
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (cause) => {
        this.#end()
        reject(
          new McpError('mcp_unavailable', this.#server.name, `The program does not start: ${cause.message}`, { cause }),
        )
      })
    })
    // An idle server must not keep this process alive. Its guard kills it when we exit.
    child.unref()
    for (const stream of child.stdio) (stream as Socket | null)?.unref?.()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new McpError('mcp_connection_lost', this.#server.name, 'The program has ended.')
    if (stdin.write(`${JSON.stringify(message)}\n`)) return
    // Wait until the program reads. The call has a timeout of its own.
    await new Promise<void>((resolve) => {
      stdin.once('drain', resolve)
      stdin.once('close', resolve)
    })
  }

  /** Lets the program exit on its own first, then kills its process group. */
  async close(): Promise<void> {
    const child = this.#child
    if (!child) return
    child.stdin?.end()
    if (!(await hasExited(child))) child.kill('SIGTERM')
    await hasExited(child)
    this.#end()
  }

  #read(chunk: Buffer): void {
    this.#bytesSinceAnswer += chunk.length
    let from = 0
    for (let end = chunk.indexOf('\n'); end >= 0 && this.#child; end = chunk.indexOf('\n', from)) {
      this.#line.push(chunk.subarray(from, end))
      from = end + 1
      this.#take(Buffer.concat(this.#line).toString('utf8'))
      this.#line = []
      this.#lineBytes = 0
    }
    this.#line.push(chunk.subarray(from))
    this.#lineBytes += chunk.length - from
    if (this.#lineBytes <= MESSAGE_BYTES_MAX && this.#bytesSinceAnswer <= NOISE_BYTES_MAX) return
    this.#fail('mcp_flood', 'The program writes more than a client takes.')
  }

  #take(line: string): void {
    // Programs log to stdout. A line that starts like a message must be one.
    if (!line.startsWith('{')) return
    try {
      const message = this.#client.deserializeMessage(line)
      if ('id' in message && !('method' in message)) this.#bytesSinceAnswer = 0
      this.onmessage?.(message)
    } catch {
      this.#fail('mcp_bad_message', 'The program writes a message that is not one of the protocol.')
    }
  }

  #fail(code: McpErrorCode, message: string): void {
    if (this.#child) this.#onfault(new McpError(code, this.#server.name, message))
    this.#end()
  }

  #end(): void {
    const child = this.#child
    if (!child) return
    this.#child = null
    this.#line = []
    for (const stream of child.stdio) stream?.destroy()
    // Closing the pipe makes the guard kill the group, unless the program killed the guard.
    if (child.exitCode === null && child.signalCode === null) endGroup(child)
    this.onclose?.()
  }
}

/** Kills the group when its pipe closes, even if this process is killed. The program does not inherit the pipe. */
const GUARDED = '( read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 & exec "$@" 3<&-'
const NOT_FOUND = ' The command was not found.'

/** Variables that programs need to find their files. Excludes our keys and tokens. */
const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']
const INHERITED_ON_WINDOWS = ['APPDATA', 'COMSPEC', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMFILES', 'SYSTEMROOT', 'TEMP']

const inheritedVariables = (): Record<string, string> =>
  Object.fromEntries(
    [...INHERITED, ...(process.platform === 'win32' ? INHERITED_ON_WINDOWS : [])].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

const hasExited = async (child: ChildProcess): Promise<boolean> => {
  if (child.exitCode !== null || child.signalCode !== null) return true
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CLOSE_MS_MAX)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}

const endGroup = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // The group has already exited.
  }
}
