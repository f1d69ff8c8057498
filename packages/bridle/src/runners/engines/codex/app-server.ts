// A process that speaks JSON-RPC in lines over its standard streams: `codex app-server`. It may die, say rubbish or say
// nothing at any moment; whoever asks it something gets an answer or an error, in time.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { JsonObject } from '../../../kernel/json.ts'
import type { EngineCommand, StartEngine } from '../../sandboxes/isolation/engine-start.ts'
import { type Mark, newMark } from '../process-mark.ts'
import type { Notice } from './events/turn-state.ts'
import { isObject, objectOf, textIn } from './lenient-json.ts'

/** A line longer than this is none of the protocol's; it is passed over. */
const LINE_CHARS_MAX = 32_000_000
/** The end of what it complained about, for the person who has to do something about it. */
const STDERR_CHARS = 4_000
const EARLY_MAX = 1_000
/** How long it may take to leave by itself, with all its commands; it takes 40 ms. */
const LEAVE_MS = 1_000

/** Something it asks us. */
export interface Asked extends Notice {
  readonly id: string | number
}

/** What it says by itself, in order: the next line is read when this has resolved. */
export interface Listener {
  notice(notice: Notice): Promise<void>
  asked(asked: Asked): void
}

/** It answered with an error: it is there, and it refuses. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
}

export class AppServer {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #mark: Mark = newMark()
  readonly #waiting = new Map<number, { resolve(result: JsonObject): void; reject(error: Error): void }>()
  /** Resolves with the reason when it is gone and everything it said has been heard. */
  readonly gone: Promise<string>
  #exited: Promise<string>
  #listener: Listener | null = null
  /** Said before anybody listened: little, since nothing runs by then. */
  readonly #early: Notice[] = []
  #asked = 0
  #complaint = ''
  #over = false
  #idle = true

  constructor({ env, ...command }: EngineCommand, start: StartEngine) {
    this.#child = start({ ...command, env: { ...env, ...this.#mark.env } })
    const { stdin, stdout, stderr } = this.#child
    // Whether it still reads is learned from its exit.
    stdin.on('error', () => {})
    stderr.on('error', () => {})
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-STDERR_CHARS)
    })
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`))
      this.#child.once('exit', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
    })
    const read = this.#read(stdout.setEncoding('utf8'))
    this.gone = this.#exited.then(async (how) => {
      this.#over = true
      await this.#mark.sweep()
      // What it left behind elsewhere may hold the pipe open; then there is no end to wait for.
      const closing = setInterval(() => this.#idle && stdout.destroy(), 500)
      await read
      clearInterval(closing)
      const why = `Codex ${how}${this.#lastComplaint()}`
      for (const { reject } of this.#waiting.values()) reject(new Error(why))
      this.#waiting.clear()
      return why
    })
  }

  get alive(): boolean {
    return !this.#over
  }

  listen(listener: Listener): void {
    this.#listener = listener
    for (const notice of this.#early.splice(0)) void listener.notice(notice)
  }

  request(method: string, params: JsonObject, timeoutMs: number): Promise<JsonObject> {
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(new Error('Codex is gone.'))
      const late = () => {
        this.#waiting.delete(id)
        reject(new Error(`Codex did not answer ${method} within ${timeoutMs / 1_000} s.`))
      }
      const timer = setTimeout(late, timeoutMs)
      const settle =
        <T>(done: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          done(value)
        }
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) })
      this.#send({ id, method, params })
    })
  }

  notify(method: string): void {
    this.#send({ method })
  }

  answer({ id }: Asked, result: JsonObject): void {
    this.#send({ id, result })
  }

  refuse({ id }: Asked, message: string): void {
    this.#send({ id, error: { code: -32601, message } })
  }

  /** What it has started for calls. It goes on itself. */
  endCommands(): Promise<void> {
    return this.#mark.sweep('CODEX_TOOL_CALL_ID')
  }

  /** It is given a moment to end its commands itself. Then it and whatever carries its mark is killed. */
  async end(leaveMs = LEAVE_MS): Promise<void> {
    if (this.#over) return void (await this.#mark.sweep())
    this.#over = true
    this.#child.stdin.end()
    await Promise.race([this.#exited, after(leaveMs)])
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#kill()
    await this.#mark.sweep()
    await Promise.race([this.#exited, after(LEAVE_MS)])
  }

  #kill(): void {
    try {
      if (this.#child.pid) process.kill(-this.#child.pid, 'SIGKILL')
    } catch {
      // It has just left.
    }
  }

  #send(message: JsonObject): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  async #read(stdout: AsyncIterable<string>): Promise<void> {
    let rest = ''
    let skipping = false
    try {
      for await (const chunk of stdout) {
        this.#idle = false
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (!skipping) await this.#line(line)
          skipping = false
        }
        if (rest.length > LINE_CHARS_MAX) skipping = true
        if (skipping) rest = ''
        this.#idle = true
      }
    } catch {
      // The pipe was closed under us; `gone` says why.
    }
  }

  async #line(line: string): Promise<void> {
    const message = parsed(line)
    if (!message) return
    const { id, method, params, result, error } = message
    if (typeof method === 'string') {
      const notice = { method, params: objectOf(params) }
      if (typeof id === 'number' || typeof id === 'string') return this.#listener?.asked({ ...notice, id })
      if (this.#listener) return this.#listener.notice(notice)
      if (this.#early.length < EARLY_MAX) this.#early.push(notice)
      return
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    if (!waiting) return
    this.#waiting.delete(id as number)
    if (error !== undefined) waiting.reject(new RpcError(textIn(error, 'message') ?? 'Codex refused.'))
    else waiting.resolve(objectOf(result))
  }

  #lastComplaint(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    const plain = this.#complaint.replace(/\x1b\[[0-9;]*m/g, '').trim()
    const last = plain.split('\n').at(-1) ?? ''
    return last === '' ? '.' : `: ${last.slice(0, 300)}`
  }
}

const parsed = (line: string): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
