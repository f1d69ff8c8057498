// Shared by the tests of calls that engines ask for: sessions on the memory store, a runner whose engine the test plays, and processes
// that can end at any write.
import type { Json, JsonObject } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import type { AnswerTo, Command, ReportItem, SessionOptions } from '@bridle/kernel/commands'
import type { AnyEvent, Event, Key } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { ControlledLog, digest, flushPending, VirtualClock } from '@bridle/kernel/host/host.suite'
import { type MemoryStore, memoryStore } from '@bridle/kernel/memory/memory-store'
import type { Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import type { Tool } from '../tools/tool.ts'
import { servedCallProblem } from './edited-arguments.ts'
import { McpAnswers } from './mcp-answers.ts'
import { ServedCalls } from './served-calls.ts'

export const keyOf = (id = 's1'): Key => ({ tenant: 'acme', agent: 'engine', id })

interface EngineRun {
  readonly reporter: RunReporter
  readonly calls: ServedCalls
  readonly answers: McpAnswers
}

/** The answer of the MCP server to a call: the text that the model reads. */
export type CallAnswer = { readonly text: string; readonly isError: boolean }

/** A process with one engine, which does what the test says. */
export class ServedWorld {
  readonly host: Host
  readonly log: ControlledLog
  readonly store: MemoryStore
  readonly clock: VirtualClock
  readonly #tools: readonly Tool[]
  readonly #caution: string | undefined
  readonly #runs = new Map<string, EngineRun>()
  #requests = 0

  constructor(tools: readonly Tool[], caution?: string, store = memoryStore(), clock = new VirtualClock()) {
    this.#tools = tools
    this.#caution = caution
    this.store = store
    this.clock = clock
    this.log = new ControlledLog(store.log)
    const begin = (job: Job, reporter: RunReporter, isResumed: boolean): Promise<RunEnd> => {
      const more = caution === undefined ? {} : { caution }
      const calls = new ServedCalls({ job, reporter, clock, digest, tools, ...more }, isResumed)
      this.#runs.set(job.key.id, { reporter, calls, answers: new McpAnswers(calls) })
      return new Promise(() => {})
    }
    const runner: Runner = {
      start: async (job, reporter) => {
        const end = begin(job, reporter, false)
        await reporter.report([{ type: 'started', handle: { at: 'here' }, steer: true }])
        return end
      },
      attach: (job, reporter) => begin(job, reporter, true),
      abort: async () => null,
      answer: async ({ key }, answer) => {
        if (!(await this.run(key).calls.takeAnswer(answer))) throw new Error('The sandbox has no such call.')
      },
      checkArguments: (call) => servedCallProblem(tools, call, clock),
      outlivesProcess: () => true,
    }
    this.host = new Host({
      ...{ log: this.log, directory: store.directory, clock, digest, tokenPaceMs: 0 },
      runner: () => runner,
    })
  }

  run({ id }: Key): EngineRun {
    const run = this.#runs.get(id)
    if (!run) throw new Error(`The session ${id} has no run here.`)
    return run
  }

  send<C extends Command>(command: C, key = keyOf()): Promise<AnswerTo<C>> {
    return this.host.send(key, command) as Promise<AnswerTo<C>>
  }

  /** Sends a prompt, so that the engine has a run. */
  async begin(key = keyOf(), opening?: SessionOptions): Promise<void> {
    await this.send({ type: 'submit', prompt: 'go', ...(opening && { opening }) }, key)
    await this.quiet()
  }

  /** Everything that needs no time has happened. */
  async quiet(): Promise<void> {
    await flushPending(40)
  }

  /** A frame of the engine. */
  async report(items: readonly ReportItem[], key = keyOf()): Promise<void> {
    await this.run(key).reporter.report(items)
  }

  async rpc(method: string, params: JsonObject = {}, key = keyOf(), id: Json = ++this.#requests, session = 'abc') {
    return this.run(key).answers.answer({ jsonrpc: '2.0', id, method, params }, session)
  }

  /** The engine calls a tool, with its own id of the call. */
  async call(id: string, name: string, args: JsonObject = {}, key = keyOf()): Promise<CallAnswer> {
    const { message } = await this.rpc(
      'tools/call',
      { name, arguments: args, _meta: { 'claudecode/toolUseId': id } },
      key,
    )
    return answerOf(message)
  }

  events(key = keyOf()): Promise<AnyEvent[]> {
    return this.store.log.read(key, 0, 100_000) as Promise<AnyEvent[]>
  }

  async payloads<T extends keyof Payloads>(type: T, key = keyOf()): Promise<Payloads[T][]> {
    return (await this.events(key))
      .filter((event): event is Event<T> & AnyEvent => event.type === type)
      .map(({ payload }) => payload)
  }

  async outcomes(key = keyOf()): Promise<string[]> {
    return (await this.payloads('tool_outcome', key)).map(
      ({ tool_call_id, status, reason }) => `${tool_call_id} ${status}${reason ? ` ${reason}` : ''}`,
    )
  }

  async openApproval(key = keyOf()): Promise<string> {
    const [id] = Object.keys((await this.host.open(key)).state.approvals.open)
    if (id === undefined) throw new Error('No approval is open.')
    return id
  }

  async approve(decision: 'approved' | 'denied' = 'approved', args?: JsonObject, key = keyOf()) {
    const approvalId = await this.openApproval(key)
    const answer = await this.send({ type: 'approve', approvalId, decision, ...(args && { args }) }, key)
    await this.quiet()
    return answer
  }

  /** The process ends: nothing that it writes from here on counts. */
  kill(): void {
    this.log.before = () => {
      throw new StoreFault('fenced', 'The process is dead.')
    }
  }

  /** The next process, on the same data. The sandbox and its engine keep running. */
  async again(tools: readonly Tool[] = this.#tools): Promise<ServedWorld> {
    this.kill()
    return this.#next(tools)
  }

  /** The same after an orderly stop. */
  async restart(tools: readonly Tool[] = this.#tools): Promise<ServedWorld> {
    await this.host.stop()
    return this.#next(tools)
  }

  async #next(tools: readonly Tool[]): Promise<ServedWorld> {
    const next = new ServedWorld(tools, this.#caution, this.store.reopen(), this.clock)
    await next.host.start()
    await next.quiet()
    return next
  }
}

export const answerOf = (message: JsonObject | undefined): CallAnswer => {
  const { content, isError = false } = (message?.result ?? {}) as {
    content?: readonly { readonly text: string }[]
    isError?: boolean
  }
  return { text: content?.map(({ text }) => text).join('\n') ?? JSON.stringify(message), isError }
}
