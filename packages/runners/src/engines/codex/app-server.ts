// A process that speaks JSON-RPC in lines over its standard streams: `codex app-server`. It may die, say rubbish or say
// nothing at any moment; every request gets an answer or an error within its time limit.

import { type JsonObject, objectOf, parseObject } from '@bridle/events/json'
import { withTimeout } from '../../calls/timeout.ts'
import { kill } from '../../process/process-table.ts'
import type { EngineCommand, EngineProcess, EngineStarter } from '../../sandboxes/isolation/engine-start.ts'
import { newProcessMark, type ProcessMark } from '../process-mark.ts'
import { textIn } from './events/lenient-json.ts'
import type { RpcNotification } from './events/turn-state.ts'

/** A line of the protocol holds one message, whose largest part is the output of a command. A longer line is skipped. */
const CODEX_LINE_CHARS_MAX = 32_000_000
/** The last lines of the error output name the cause; a person reads no more of it. */
const CODEX_STDERR_CHARS = 4_000
/** Codex sends a dozen notifications before the session listens. */
const EARLY_NOTIFICATIONS_MAX = 1_000
/** Codex exits with all its commands in 40 ms; a process that needs longer hangs and is killed. */
const CODEX_LEAVE_MS = 1_000

export interface RpcRequest extends RpcNotification {
  readonly id: string | number
}

/** Receives notifications and requests in order: the next line is read when the last handler has resolved. */
export interface AppServerListener {
  onNotification(notice: RpcNotification): Promise<void>
  onRequest(asked: RpcRequest): void
}

/** Codex is alive and answered a request with an error. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
}

export class AppServer {
  readonly #child: EngineProcess
  readonly #mark: ProcessMark = newProcessMark()
  readonly #pendingRequests = new Map<number, { resolve(result: JsonObject): void; reject(error: Error): void }>()
  /** Resolves with the reason when the process has exited and all its output has been handled. */
  readonly exitReason: Promise<string>
  #exitStatus: Promise<string>
  #listener: AppServerListener | null = null
  /** Notifications from before the session listens: few, since no turn runs yet. */
  readonly #earlyNotifications: RpcNotification[] = []
  #lastRequestId = 0
  #stderrTail = ''
  #isOver = false
  #isIdle = true

  constructor({ env, ...command }: EngineCommand, start: EngineStarter) {
    this.#child = start({ ...command, env: { ...env, ...this.#mark.env } })
    const { stdin, stdout, stderr } = this.#child
    // A write to a process that has ended fails here; `exitReason` reports its end.
    stdin.on('error', () => {})
    stderr.on('error', () => {})
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-CODEX_STDERR_CHARS)
    })
    this.#exitStatus = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`))
      this.#child.once('exit', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
    })
    const read = this.#readLines(stdout.setEncoding('utf8'))
    this.exitReason = this.#exitStatus.then(async (how) => {
      this.#isOver = true
      await this.#mark.killProcesses()
      // A process that Codex left behind may hold the pipe open, so that its end never comes.
      const closing = setInterval(() => this.#isIdle && stdout.destroy(), 500)
      await read
      clearInterval(closing)
      const why = `Codex ${how}${this.#lastStderrLine()}`
      for (const { reject } of this.#pendingRequests.values()) reject(new Error(why))
      this.#pendingRequests.clear()
      return why
    })
  }

  get alive(): boolean {
    return !this.#isOver
  }

  listen(listener: AppServerListener): void {
    this.#listener = listener
    for (const notice of this.#earlyNotifications.splice(0)) void listener.onNotification(notice)
  }

  request(method: string, params: JsonObject, timeoutMs: number): Promise<JsonObject> {
    const id = ++this.#lastRequestId
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new Error('Codex is gone.'))
      const late = () => {
        this.#pendingRequests.delete(id)
        reject(new Error(`Codex did not answer ${method} within ${timeoutMs / 1_000} s.`))
      }
      const timer = setTimeout(late, timeoutMs)
      const settle =
        <T>(done: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          done(value)
        }
      this.#pendingRequests.set(id, { resolve: settle(resolve), reject: settle(reject) })
      this.#send({ id, method, params })
    })
  }

  notify(method: string): void {
    this.#send({ method })
  }

  answer({ id }: RpcRequest, result: JsonObject): void {
    this.#send({ id, result })
  }

  refuse({ id }: RpcRequest, message: string): void {
    this.#send({ id, error: { code: -32601, message } })
  }

  /** Kills the commands of calls, and leaves Codex running. */
  endCommands(): Promise<void> {
    return this.#mark.killProcesses('CODEX_TOOL_CALL_ID')
  }

  /** Null = not all of them could be ended. */
  async endLeftovers(): Promise<number | null> {
    const { endLeftovers } = this.#child
    return endLeftovers ? endLeftovers(this.#mark.processes) : 0
  }

  /** Gives Codex a moment to end its commands, then kills it and every process with its mark. */
  async end(leaveMs = CODEX_LEAVE_MS): Promise<void> {
    if (this.#isOver) return void (await this.#mark.killProcesses())
    this.#isOver = true
    this.#child.stdin.end()
    await withTimeout(leaveMs, this.#exitStatus)
    const { pid, exitCode, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) kill(-pid)
    await this.#mark.killProcesses()
    await withTimeout(CODEX_LEAVE_MS, this.#exitStatus)
  }

  #send(message: JsonObject): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  async #readLines(stdout: AsyncIterable<string>): Promise<void> {
    let rest = ''
    let skipping = false
    try {
      for await (const chunk of stdout) {
        this.#isIdle = false
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (!skipping) await this.#readLine(line)
          skipping = false
        }
        if (rest.length > CODEX_LINE_CHARS_MAX) skipping = true
        if (skipping) rest = ''
        this.#isIdle = true
      }
    } catch {
      // The pipe was closed under us; `gone` says why.
    }
  }

  async #readLine(line: string): Promise<void> {
    const message = parseObject(line)
    if (!message) return
    const { id, method, params, result, error } = message
    if (typeof method === 'string') {
      const notice = { method, params: objectOf(params) }
      if (typeof id === 'number' || typeof id === 'string') return this.#listener?.onRequest({ ...notice, id })
      if (this.#listener) return this.#listener.onNotification(notice)
      if (this.#earlyNotifications.length < EARLY_NOTIFICATIONS_MAX) this.#earlyNotifications.push(notice)
      return
    }
    const waiting = typeof id === 'number' ? this.#pendingRequests.get(id) : undefined
    if (!waiting) return
    this.#pendingRequests.delete(id as number)
    if (error !== undefined) waiting.reject(new RpcError(textIn(error, 'message') ?? 'Codex refused.'))
    else waiting.resolve(objectOf(result))
  }

  #lastStderrLine(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    const plain = this.#stderrTail.replace(/\x1b\[[0-9;]*m/g, '').trim()
    const last = plain.split('\n').at(-1) ?? ''
    return last === '' ? '.' : `: ${last.slice(0, 300)}`
  }
}
