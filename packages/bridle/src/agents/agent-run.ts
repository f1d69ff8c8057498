// A run as its agent drives it: reports to the session, answers to approvals, and the calls that have not settled. Once the
// run has ended, every call rejects with the reason of its signal.
import { catalogue, isEventType } from '../kernel/catalogue.ts'
import type { ReportItem } from '../kernel/commands.ts'
import { customEventProblem } from '../kernel/custom-event.ts'
import { directiveProblem } from '../kernel/directive.ts'
import type { AnyEventDraft, Key } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { ChildSessions } from '../kernel/ports/child-sessions.ts'
import type { Clock } from '../kernel/ports/clock.ts'
import type { Digest } from '../kernel/ports/digest.ts'
import type { ApprovalAnswer, Job } from '../kernel/ports/runner.ts'
import type { Uploads } from '../kernel/ports/uploads.ts'
import { type Payloads, parsePayload } from '../kernel/schemas.ts'
import type { RunReporter } from '../kernel/session/run-reporter.ts'
import type { LanguageModel } from './model/model.ts'
import type { ModelResolver } from './model/model-choice.ts'
import { toPlainJson } from './schemas/input.ts'
import type { RunTracer } from './trace/trace.ts'

/** Code of an agent has thrown. The log and callers get the message alone; this has the stack. */
export interface AgentFailure {
  /** The session: tenant, agent and id. */
  readonly key: Key
  /** The id of the run. */
  readonly runId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The thrown value. */
  readonly error: unknown
  /** The tool of a model agent that threw: the run goes on. Null: the run has failed. */
  readonly tool: string | null
}

export interface AgentRunPorts {
  readonly clock: Clock
  readonly digest: Digest
  /** Uploaded files; absent: the target keeps none. */
  readonly uploads?: Pick<Uploads, 'read'>
  /** From 0 to below 1, spreads retries over time; absent: Math.random. */
  readonly random?: () => number
  /** Finds models by their names; absent: agents pass objects only. */
  readonly resolveModel?: ModelResolver
  /** The reason why a model of this name cannot be asked, as a sentence; null: none that can be seen before. */
  readonly missingModel?: (name: string) => string | null
  /** The model that answers a spoken prompt of a session aloud; null: nobody listens, and the agent's own model writes. */
  readonly voiceModel?: (key: Key) => LanguageModel | null
  /** Sessions of other agents that do tasks of a run; absent: no agent can ask another one. */
  readonly children?: ChildSessions
  /** Records spans of model agents; absent: nobody watches. */
  readonly trace?: RunTracer
  /** Receives what code of an agent throws; absent: nobody reads it. */
  readonly onFailure?: (failure: AgentFailure) => void
}

export class AgentRun {
  readonly job: Job
  readonly reporter: RunReporter
  readonly ports: AgentRunPorts
  readonly signal: AbortSignal
  readonly #answers = new Map<string, ApprovalAnswer>()
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>()
  readonly #activeCalls = new Set<Promise<unknown>>()

  constructor(job: Job, reporter: RunReporter, ports: AgentRunPorts, signal: AbortSignal) {
    this.job = job
    this.reporter = reporter
    this.ports = ports
    this.signal = signal
  }

  /** Nobody waits for the function any more. */
  get isOver(): boolean {
    return this.signal.aborted
  }

  /** Starts a call of the session. A rejected call that the agent does not await must not end the process. */
  track<T>(start: () => Promise<T>): Promise<T> {
    const started = this.signal.aborted ? Promise.reject(this.signal.reason) : start()
    const call = started.catch((error: unknown) => {
      throw this.signal.aborted ? this.signal.reason : error
    })
    this.#activeCalls.add(call)
    const settled = () => this.#activeCalls.delete(call)
    call.then(settled, settled)
    return call
  }

  /** Resolves when every call has settled. */
  async whenIdle(): Promise<void> {
    while (this.#activeCalls.size > 0) await Promise.allSettled(this.#activeCalls)
  }

  /** Resolves when the items are in the log. */
  async report(...items: readonly ReportItem[]): Promise<void> {
    await this.reporter.report(items)
  }

  receiveAnswer(answer: ApprovalAnswer): void {
    this.#answers.set(answer.toolCallId, answer)
    this.#waiting.get(answer.toolCallId)?.(answer)
  }

  answer(toolCallId: string): Promise<ApprovalAnswer> {
    const answer = this.#answers.get(toolCallId)
    return answer
      ? Promise.resolve(answer)
      : this.orRunEnd(new Promise((resolve) => this.#waiting.set(toolCallId, resolve)))
  }

  /** Settles like the work, or rejects when the signal aborts first. */
  orRunEnd<T>(work: Promise<T>, signal = this.signal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason)
      if (signal.aborted) leave()
      signal.addEventListener('abort', leave, { once: true })
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }
}

/** An event of the catalogue that an agent may emit, or a custom event. */
export const agentEventItem = (type: string, payload: unknown): ReportItem => {
  if (!isEventType(type)) return customEventItem(type, payload)
  if (type === 'directive') return directiveItem(payload)
  const { source, wire } = catalogue[type]
  if (!['runner', 'server'].includes(source) || wire === 'internal' || type === 'custom_event')
    throw new TypeError(`"${type}" is not an event that an agent can emit.`)
  const checked = parsePayload(type, toPlainJson(payload, `payload of ${type}`))
  if ('problem' in checked) throw new TypeError(checked.problem)
  return { type: 'event', event: { type, payload: checked.payload } as Pick<AnyEventDraft, 'type' | 'payload'> }
}

/** A directive with all of its fields checked. */
export const directiveItem = (given: unknown): ReportItem => {
  const directive = toPlainJson(given, 'directive')
  const problem = directiveProblem(directive)
  if (problem !== null) throw new TypeError(problem)
  return { type: 'event', event: { type: 'directive', payload: directive as unknown as Payloads['directive'] } }
}

const customEventItem = (name: string, payload: unknown): ReportItem => {
  const data = toPlainJson(payload, `payload of ${name}`)
  const problem = customEventProblem(name, data)
  if (problem !== null) throw new TypeError(problem)
  return { type: 'event', event: { type: 'custom_event', payload: { name, data: data as JsonObject } } }
}
