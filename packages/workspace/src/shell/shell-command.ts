// Runs one command and kills every process it started. Nothing outlives the call.
import { setTimeout as sleep } from 'node:timers/promises'
import { kill } from '@bridle/runners/process/process-table'
import { describeExceeded, type ExceededLimit } from '@bridle/runners/sandboxes/resources/resource-limits'
import { SHELL_END_MS } from '../files/limits.ts'
import { WorkspaceError } from '../files/workspace-error.ts'
import type { ShellStarter, StartedCommand } from './shell-starter.ts'

/** Kept at both ends: the first error is near the start, the summary at the end. */
export const OUTPUT_EDGE_BYTES = 4_000
/** Kills the command beyond this. Draining more output wastes server time. */
const OUTPUT_BYTES_MAX = 32 * 2 ** 20

export interface ShellResult {
  /** Null if a signal killed the command. */
  readonly exit_code: number | null
  /** Interleaved stdout and stderr. */
  readonly output: string
  /** Why the command was killed. */
  readonly stopped?: string
}

export const runCommand = async (
  start: ShellStarter,
  command: string,
  ms: number,
  signal: AbortSignal,
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
  // A command may close its stdin unread.
  child.stdin.on('error', () => {}).end()
  for (const stream of [child.stdout, child.stderr]) stream.on('data', onData).on('error', () => {})
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  try {
    const exitCode = await exitOf(child)
    // Background processes keep the output pipe open.
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

class OutputWindow {
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  bytes = 0

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    const forHead = chunk.subarray(0, Math.max(0, OUTPUT_EDGE_BYTES - this.#headBytes))
    const forTail = chunk.subarray(forHead.length)
    if (forHead.length > 0) this.#head.push(Buffer.from(forHead))
    this.#headBytes += forHead.length
    if (forTail.length === 0) return
    // Copy, because a view would retain the whole chunk.
    this.#tail.push(Buffer.from(forTail.subarray(-OUTPUT_EDGE_BYTES)))
    this.#tailBytes += Math.min(forTail.length, OUTPUT_EDGE_BYTES)
    if (this.#tailBytes > 4 * OUTPUT_EDGE_BYTES) this.#shrinkTail()
  }

  text(): string {
    this.#shrinkTail()
    const leftOut = this.bytes - this.#headBytes - this.#tailBytes
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)]
    // Decode both together, since a character may span the boundary.
    if (leftOut === 0) return Buffer.concat([head, tail]).toString('utf8')
    return `${head.toString('utf8')}\n[${leftOut} bytes are left out here.]\n${tail.toString('utf8')}`
  }

  #shrinkTail(): void {
    const tail = Buffer.from(Buffer.concat(this.#tail).subarray(-OUTPUT_EDGE_BYTES))
    this.#tail = [tail]
    this.#tailBytes = tail.length
  }
}
