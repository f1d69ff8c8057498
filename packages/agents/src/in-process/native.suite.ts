// Shared by the tests of native agents: a host on the memory store with a clock that the test moves.

import type { Json, JsonObject } from '@bridle/events/json'
import type { AnswerTo, Command, SessionOptions } from '@bridle/kernel/commands'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { digest, flushPending, VirtualClock } from '@bridle/kernel/host/host.suite'
import { type MemoryStore, memoryStore } from '@bridle/kernel/memory/memory-store'
import { type RunOutcome, runOutcome } from '@bridle/kernel/session/run-outcome'
import type { AgentDefinition } from '../agent.ts'
import { nativeRunner } from './native.ts'

export const key: Key = { tenant: 'acme', agent: 'tested', id: 's1' }

export class NativeWorld {
  readonly host: Host
  readonly clock: VirtualClock
  readonly store: MemoryStore

  constructor(
    agent: AgentDefinition | (() => AgentDefinition),
    { store = memoryStore(), clock = new VirtualClock() }: { store?: MemoryStore; clock?: VirtualClock } = {},
  ) {
    this.store = store
    this.clock = clock
    const runner = nativeRunner(agent, { clock, digest })
    const { log, directory } = store
    this.host = new Host({ log, directory, clock, digest, tokenPaceMs: 0, runner: () => runner })
  }

  send<C extends Command>(command: C): Promise<AnswerTo<C>> {
    return this.host.send(key, command) as Promise<AnswerTo<C>>
  }

  /** Submits and says how the run ended. */
  async run(prompt = 'hello', input?: Json, opening?: SessionOptions): Promise<RunOutcome> {
    return (await this.begin(prompt, input, opening)).end
  }

  async begin(
    prompt = 'hello',
    input?: Json,
    opening?: SessionOptions,
  ): Promise<{ runId: string; end: Promise<RunOutcome> }> {
    const more = { ...(input !== undefined && { input }), ...(opening && { opening }) }
    const { runId, seq } = await this.send({ type: 'submit', prompt, ...more })
    const session = await this.host.open(key)
    return { runId, end: runOutcome(session, runId, seq - 1) }
  }

  events(): Promise<AnyEvent[]> {
    return this.store.log.read(key, 0, 10_000) as Promise<AnyEvent[]>
  }

  /** The types of the run's events, without the session's bookkeeping. */
  async told(): Promise<string[]> {
    return (await this.events()).map(({ type }) => type).filter((type) => !bookkeeping.has(type))
  }

  async payloads(type: string): Promise<JsonObject[]> {
    return (await this.events()).filter((event) => event.type === type).map((event) => event.payload as JsonObject)
  }

  /** The open approval, as soon as there is one. */
  async asked(): Promise<{ approvalId: string }> {
    const session = await this.host.open(key)
    await until(() => Object.keys(session.state.approvals.open).length > 0)
    return { approvalId: String(Object.keys(session.state.approvals.open)[0]) }
  }
}

const bookkeeping = new Set([
  'session_created',
  'session_state',
  'prompt_queued',
  'run_requested',
  'run_started',
  'approval_delivered',
  'step_progress',
  'health_changed',
])

export const until = async (holds: () => boolean): Promise<void> => {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1_000) throw new Error('It never came to that.')
    await flushPending(1)
  }
}
