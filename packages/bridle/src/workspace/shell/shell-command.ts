// A command: its output, its end, and the end of everything that it started. Nothing outlives the call.
import { setTimeout as sleep } from 'node:timers/promises'
import { kill } from '../../runners/process-table.ts'
import { describeExceeded, type ExceededLimit } from '../../runners/sandboxes/resources/resource-limits.ts'
import { OUTPUT_BYTES_MAX, SHELL_END_MS } from '../limits.ts'
import { WorkspaceError } from '../workspace-error.ts'
import { OutputWindow } from './output-window.ts'
import type { ShellStarter, StartedCommand } from './shell-starter.ts'

/** The result of a command, for the model. */
export interface ShellResult {
  /** Null: the command was ended by a signal. */
  readonly exit_code: number | null
  /** The text that it printed, both to standard output and to standard error, in the order of arrival. */
  readonly output: string
  /** Why the command was stopped before its end. */
  readonly stopped?: string
}

export interface ShellCommandOptions {
  readonly command: string
  readonly ms: number
  readonly signal: AbortSignal
}

/** Runs a command to its end, or ends it. Rejects where it cannot be started, and when the call is cancelled. */
export const runCommand = async (
  start: ShellStarter,
  { command, ms, signal }: ShellCommandOptions,
): Promise<ShellResult> => {
  signal.throwIfAborted()
  let exceeded: ExceededLimit | null = null
  const { child, endProcesses, removeFolders } = start(command, (limit) => {
    exceeded = limit
  })
  const output = new OutputWindow()
  let stopped: string | null = null
  const stop = (reason: string) => {
    stopped ??= reason
    if (child.pid !== undefined) kill(-child.pid)
  }
  const onAbort = () => stop('The call was cancelled.')
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => stop(`It took longer than ${ms} ms.`), ms)
  const onData = (chunk: Buffer) => {
    output.add(chunk)
    if (output.bytes > OUTPUT_BYTES_MAX) stop(`It printed more than ${OUTPUT_BYTES_MAX} bytes.`)
  }
  // A command that does not read its input closes it.
  child.stdin.on('error', () => {}).end()
  for (const stream of [child.stdout, child.stderr]) stream.on('data', onData).on('error', () => {})
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  try {
    const exitCode = await exitOf(child)
    // Processes in the background hold the output open.
    if (child.pid !== undefined) kill(-child.pid)
    await endProcesses()
    await Promise.race([closed, sleep(SHELL_END_MS, undefined, { ref: false })])
    signal.throwIfAborted()
    const reason = exceeded === null ? stopped : describeExceeded(exceeded)
    return { exit_code: exitCode, output: output.text(), ...(reason !== null && { stopped: reason }) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    removeFolders()
  }
}

const exitOf = (child: StartedCommand['child']): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('exit', resolve)
    child.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new WorkspaceError('failed', `The command could not be started: ${code ?? 'unknown error'}.`)),
    )
  })
