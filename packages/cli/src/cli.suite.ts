// The real command, and a server of its own in a folder of its own. Servers and watchers are processes. A verb that only asks its server
// is called in this process, where it costs a tenth.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { fromSource } from '../../../scripts/module-snapshot.ts'
import { runCommandLine } from './command-line.ts'
import { dataFolderOf } from './config/default-data.ts'
import { withEnvFile } from './config/env-file.ts'
import { escapeControls } from './terminal/output.ts'
import { keepingOutput } from './verb-calls.suite.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

export interface ProcessResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliProcess {
  readonly process: ChildProcess
  /** Lines of standard output so far; more are added as they come. */
  readonly lines: readonly string[]
  /** Resolves when a line satisfies, also one that came before. Rejects when the process ends without it. */
  readonly until: (isIt: (line: string) => boolean) => Promise<string>
  readonly ended: Promise<ProcessResult>
}

/** Verbs that ask a server, and neither read standard input nor write bytes to standard output. */
const ASKING = new Set([
  ...['run', 'replay', 'sessions', 'approvals', 'approve', 'reject', 'answer', 'agents', 'health', 'logs', 'signal'],
  ...['pause', 'resume', 'stop', 'cancel', 'branch', 'delete', 'inspect', 'tools', 'usage', 'import'],
])

/** A workspace in the temporary folder: a data folder, a port, and the processes that were started in it. */
export class CliWorkspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'bridle-cli-'))
  readonly env: NodeJS.ProcessEnv
  readonly #started: ChildProcess[] = []
  #calls = 0
  #home = ''
  server: CliProcess | null = null
  url = ''

  constructor(env: NodeJS.ProcessEnv = {}) {
    const {
      FABRIC_HARNESS_API_TOKEN: _a,
      FH_AUTH_TOKEN: _b,
      BRIDLE_URL: _c,
      BRIDLE_DATA: _d,
      PORT: _e,
      // Variables of build machines, which make a program print less, or without colour.
      CI: _f,
      NO_COLOR: _g,
      FORCE_COLOR: _h,
      NODE_DISABLE_COLORS: _i,
      ...rest
    } = process.env
    this.env = { ...rest, ...env }
  }

  start(
    args: readonly string[],
    { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
  ): CliProcess {
    const child = spawn(process.execPath, [...fromSource, main, ...args], {
      cwd: this.folder,
      env: { ...this.env, ...(this.url && { BRIDLE_URL: this.url }), ...env },
    })
    this.#started.push(child)
    // A command that fails before it reads leaves a broken pipe.
    child.stdin.on('error', () => {}).end(input)
    const lines: string[] = []
    const waiting = new Set<() => void>()
    const wake = () => waiting.forEach((check) => void check())
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      wake()
    })
    let isOver = false
    const stderr = text(child.stderr)
    const ended = once(child, 'close').then(async ([code]): Promise<ProcessResult> => {
      isOver = true
      wake()
      return { code, stdout: lines.join('\n'), stderr: await stderr }
    })
    const until = (isIt: (line: string) => boolean) =>
      new Promise<string>((resolve, reject) => {
        const check = () => {
          const found = lines.find(isIt)
          if (found === undefined && !isOver) return
          waiting.delete(check)
          if (found !== undefined) resolve(found)
          else stderr.then((said) => reject(new Error(`It ended without that line. ${said}${lines.join('\n')}`)))
        }
        waiting.add(check)
        check()
      })
    return { process: child, lines, until, ended }
  }

  /** Runs a command to its end. */
  bridle(args: readonly string[], options: { input?: string; env?: NodeJS.ProcessEnv } = {}): Promise<ProcessResult> {
    const isAsking = this.url !== '' && ASKING.has(args[0] ?? '') && Object.keys(options).length === 0
    return isAsking ? this.#call(args) : this.start(args, options).ended
  }

  /** Calls a verb as `main.ts` does. Until it returns, the workspace is the working directory of this process. */
  async #call(args: readonly string[]): Promise<ProcessResult> {
    const [stdout, stderr]: [string[], string[]] = [[], []]
    if (this.#calls++ === 0) this.#home = process.cwd()
    process.chdir(this.folder)
    try {
      const code = await runCommandLine(args, {
        environmentOf: async (_name, flags) =>
          withEnvFile({ ...this.env, BRIDLE_URL: this.url }, '.', dataFolderOf(flags)),
        outputOf: ({ json = false, text = false }) => {
          const { out } = keepingOutput(json || !text, Number.POSITIVE_INFINITY, stdout)
          return { ...out, note: (note) => void (out.isJson || stderr.push(`${escapeControls(note)}\n`)) }
        },
        print: (text) => void stdout.push(text),
        printError: (text) => void stderr.push(text),
        errorColumns: () => null,
      })
      return { code, stdout: stdout.join('').replace(/\n$/, ''), stderr: stderr.join('') }
    } finally {
      if (--this.#calls === 0) process.chdir(this.#home)
    }
  }

  /** A server on the workspace's port, which is chosen once so that watchers find the next one. */
  async boot(): Promise<void> {
    const port = this.url ? new URL(this.url).port : String(await freePort())
    this.url = `http://127.0.0.1:${port}`
    this.server = this.start(['start', '--port', port, '--data', 'data'])
    await this.server.until((line) => line.includes('ready at'))
  }

  /** The environment of a command that names no server, in a folder whose usual address is free: the command starts its own. */
  async unnamed(): Promise<NodeJS.ProcessEnv> {
    writeFileSync(join(this.folder, 'bridle.config.mjs'), `export default { port: ${await freePort()} }`)
    return { BRIDLE_URL: '' }
  }

  async kill(): Promise<void> {
    this.server?.process.kill('SIGKILL')
    await this.server?.ended
  }

  async remove(): Promise<void> {
    for (const child of this.#started) child.kill('SIGKILL')
    await Promise.all(this.#started.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  server.close()
  await once(server, 'close')
  return typeof at === 'object' && at ? at.port : 0
}

export interface JsonRow {
  readonly id: string
  readonly type: string
  readonly data: { readonly [name: string]: unknown }
  readonly [name: string]: unknown
}

export const parseJsonRows = (stdout: string): JsonRow[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export const scriptOf = (...steps: unknown[]): string => `@script ${JSON.stringify(steps)}`
export const hasType =
  (type: string) =>
  (line: string): boolean =>
    line.includes(`"type":"${type}"`)
