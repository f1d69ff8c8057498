// Shared by the tests of durable functions: agents on a memory store, in processes that can be gone after any commit, and a ledger of
// what the agents really did.

import type { Json, JsonObject } from '@bridle/events/json'
import type { AnswerTo, Command, SessionOptions } from '@bridle/kernel/commands'
import { isRefusal } from '@bridle/kernel/commands'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { ControlledLog, digest, flushPending, T0, VirtualClock } from '@bridle/kernel/host/host.suite'
import { type MemoryStore, memoryStore } from '@bridle/kernel/memory/memory-store'
import { type AgentDefinition, agent, type RunContext } from '../agent.ts'
import { nativeRunner } from '../in-process/native.ts'

export const keyOf = (agent: string, id: string): Key => ({ tenant: 'acme', agent, id })

/** Each effect of an agent on the world outside, in order, over all processes. */
export class EffectLedger {
  readonly entries: string[] = []

  count(entry: string): number {
    return this.entries.filter((each) => each === entry).length
  }
}

export type AgentsOf = (process: DurableProcess) => readonly AgentDefinition[]

/** The function of an agent, which acts through its process. */
export type AgentFunction = (context: RunContext<JsonObject>, process: DurableProcess) => unknown

/** Agents of these names and functions, in every process. */
export const defineAgents =
  (agents: { readonly [name: string]: AgentFunction }, durable = true): AgentsOf =>
  (process) =>
    Object.entries(agents).map(([name, run]) => {
      const bound = (context: RunContext<JsonObject>) => run(context, process)
      return agent({ name, durable, run: bound as () => Json })
    })

export const background = { kind: 'background', maxRetries: 0 } as const

/** A process: a host on the store. */
export class DurableProcess {
  readonly host: Host
  readonly clock = new VirtualClock()
  readonly log: ControlledLog
  readonly store: MemoryStore
  readonly ledger: EffectLedger
  readonly faults: unknown[] = []
  /** Appends of all processes, and the one after which this process is gone. */
  commits = 0
  isGone = false
  readonly #agents: AgentsOf

  constructor(
    agents: AgentsOf,
    {
      store = memoryStore(),
      ledger = new EffectLedger(),
      now = T0,
      goneAfter = Number.POSITIVE_INFINITY,
    }: { store?: MemoryStore; ledger?: EffectLedger; now?: number; goneAfter?: number } = {},
  ) {
    this.store = store
    this.ledger = ledger
    this.#agents = agents
    this.clock.step(now - T0)
    this.log = new ControlledLog(store.log)
    this.log.after = () => {
      this.commits += 1
      if (this.commits >= goneAfter) this.isGone = true
      // Nothing of a process that is gone hears of its last write.
      return this.isGone ? new Promise(() => {}) : undefined
    }
    const definitions = new Map(agents(this).map((each) => [each.name, each]))
    const runners = new Map(
      [...definitions].map(([name, each]) => [name, nativeRunner(each, { clock: this.clock, digest })]),
    )
    this.host = new Host({
      log: this.log,
      directory: store.directory,
      clock: this.clock,
      digest,
      tokenPaceMs: 0,
      runner: (agent) => runners.get(agent) ?? null,
      onFault: (_key, cause) => this.faults.push(cause),
    })
  }

  /** Something that an agent does outside. A process that is gone does nothing. */
  async act<T>(entry: string, result: T): Promise<T> {
    if (this.isGone) return new Promise(() => {})
    this.ledger.entries.push(entry)
    return result
  }

  /** The next process on the same data, with other agents if you like. This one is gone without a word. */
  async next({
    agents = this.#agents,
    goneAfter,
  }: {
    agents?: AgentsOf
    goneAfter?: number
  } = {}): Promise<DurableProcess> {
    this.isGone = true
    const process = new DurableProcess(agents, {
      ...{ store: this.store.reopen(), ledger: this.ledger, now: this.clock.now() },
      ...(goneAfter !== undefined && { goneAfter }),
    })
    await process.host.start()
    await flushPending()
    return process
  }

  async send<C extends Command>(key: Key, command: C): Promise<AnswerTo<C>> {
    const answer = await this.host.send(key, command)
    if (isRefusal(answer)) throw new Error(`${command.type} was refused: ${answer.message}`)
    return answer
  }

  async submit(key: Key, prompt: string, opening?: SessionOptions): Promise<string> {
    const { runId } = await this.send(key, { type: 'submit', prompt, ...(opening && { opening }) })
    return runId
  }

  async events(key: Key): Promise<AnyEvent[]> {
    return (await this.store.log.read(key, 0, 100_000)) as AnyEvent[]
  }

  async payloads(key: Key, type: string): Promise<JsonObject[]> {
    return (await this.events(key)).filter((event) => event.type === type).map(({ payload }) => payload as JsonObject)
  }

  async results(key: Key): Promise<Json[]> {
    return (await this.payloads(key, 'completed')).map(({ result }) => result ?? null)
  }

  async openApprovals(key: Key): Promise<string[]> {
    return Object.keys((await this.host.open(key)).state.approvals.open)
  }

  async approval(key: Key): Promise<string> {
    await this.until(async () => (await this.openApprovals(key)).length > 0)
    return String((await this.openApprovals(key))[0])
  }

  async approve(key: Key, decision: 'approved' | 'denied' = 'approved', args?: JsonObject): Promise<string> {
    const approvalId = await this.approval(key)
    await this.send(key, { type: 'approve', approvalId, decision, ...(args && { args }) })
    return approvalId
  }

  /** Resolves when the session has no run, and nothing is queued. */
  async idle(key: Key): Promise<void> {
    await this.until(async () => {
      const { run, queue } = (await this.host.open(key)).state.lifecycle
      return run === null && queue.length === 0
    })
  }

  async isWaiting(key: Key): Promise<boolean> {
    return (await this.host.open(key)).state.course.wait !== null
  }

  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await holds()); tries++) {
      if (tries > 500) throw new Error('It never came to that.')
      await this.clock.pass(0)
      await flushPending(1)
    }
  }
}
