// How a run speaks: reports through the outlet while the run lives, answers on their way back, and the calls that are
// still under way. Once the run is over every call rejects with the reason of its signal.
import { catalogue, isKnown } from '../kernel/catalogue.ts'
import type { ReportItem } from '../kernel/commands.ts'
import { customProblem } from '../kernel/custom-event.ts'
import type { AnyDraft } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { ApprovalAnswer, Job } from '../kernel/ports/runner.ts'
import type { Clock, Digest } from '../kernel/ports/store.ts'
import { parsePayload } from '../kernel/schemas.ts'
import type { Outlet } from '../kernel/session/run-reporter.ts'
import { plainJson } from './input.ts'

export interface VoicePorts {
  readonly clock: Clock
  readonly digest: Digest
}

export class Voice {
  readonly job: Job
  readonly outlet: Outlet
  readonly ports: VoicePorts
  readonly signal: AbortSignal
  readonly #answers = new Map<string, ApprovalAnswer>()
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>()
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(job: Job, outlet: Outlet, ports: VoicePorts, signal: AbortSignal) {
    this.job = job
    this.outlet = outlet
    this.ports = ports
    this.signal = signal
  }

  /** Every call of a session goes through here. One that nobody awaits must not bring the process down. */
  call<T>(act: () => Promise<T>): Promise<T> {
    const acted = this.signal.aborted ? Promise.reject(this.signal.reason) : act()
    const call = acted.catch((error: unknown) => {
      throw this.signal.aborted ? this.signal.reason : error
    })
    this.#underWay.add(call)
    const over = () => this.#underWay.delete(call)
    call.then(over, over)
    return call
  }

  /** When nothing that was begun is still under way. */
  async quiet(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  /** Resolves when it is in the log. */
  async say(...items: readonly ReportItem[]): Promise<void> {
    await this.outlet.report(items)
  }

  hear(answer: ApprovalAnswer): void {
    this.#answers.set(answer.toolCallId, answer)
    this.#waiting.get(answer.toolCallId)?.(answer)
  }

  answer(toolCallId: string): Promise<ApprovalAnswer> {
    const given = this.#answers.get(toolCallId)
    return given
      ? Promise.resolve(given)
      : this.orOver(new Promise((resolve) => this.#waiting.set(toolCallId, resolve)))
  }

  /** The work, or the end of the run if that comes first. */
  orOver<T>(work: Promise<T>, signal = this.signal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason)
      if (signal.aborted) leave()
      signal.addEventListener('abort', leave, { once: true })
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }
}

/** An event of the catalogue that is an agent's to say. */
export const said = (type: string, payload: unknown): ReportItem => {
  if (!isKnown(type)) return custom(type, payload)
  if (!['runner', 'server'].includes(catalogue[type].source) || type === 'custom_event')
    throw new TypeError(`"${type}" is not an event that an agent can emit.`)
  const checked = parsePayload(type, plainJson(payload, `payload of ${type}`))
  if ('problem' in checked) throw new TypeError(checked.problem)
  return { type: 'event', event: { type, payload: checked.payload } as Pick<AnyDraft, 'type' | 'payload'> }
}

/** An event of the agent's own. */
const custom = (name: string, payload: unknown): ReportItem => {
  const data = plainJson(payload, `payload of ${name}`)
  const problem = customProblem(name, data)
  if (problem !== null) throw new TypeError(problem)
  return { type: 'event', event: { type: 'custom_event', payload: { name, data: data as JsonObject } } }
}
