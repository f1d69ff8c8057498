// Shared by the tests of the loop: sessions of model agents on the memory store, a model that the test answers for, a clock that the
// test moves, and processes that end at any write.

import type { JsonObject } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import type { AnswerTo, Command, SessionOptions } from '@bridle/kernel/commands'
import type { AnyEvent, Event, Key } from '@bridle/kernel/event'
import { hostChildSessions } from '@bridle/kernel/host/child-sessions'
import { Host } from '@bridle/kernel/host/host'
import { ControlledLog, digest, flushPending, VirtualClock } from '@bridle/kernel/host/host.suite'
import { type MemoryStore, memoryStore } from '@bridle/kernel/memory/memory-store'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import type { AgentDefinition } from '../agent.ts'
import { nativeRunner } from '../in-process/native.ts'
import type { LanguageModel, ModelCallOptions, ModelMessage } from '../model/model.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { findChildAgent } from '../subagents/child-agents.ts'

/** An answer of the stub: text, thoughts and calls, in this order. `cut` ends the stream before its end. */
export interface Reply {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: readonly (readonly [tool: string, input: object | string])[]
  readonly cut?: true
  /** Tokens of the request, as the stub counts them; null: it does not count. */
  readonly tokens?: number | null
}

export type Answering = (prompt: readonly ModelMessage[], options: ModelCallOptions) => Reply | Promise<Reply>

/** A model that answers as the test says, from the prompt alone. */
export const stubModel = (answer: Answering, modelId = 'stub'): LanguageModel => ({
  specificationVersion: 'v3',
  provider: 'test',
  modelId,
  doStream: async (options) => {
    const reply = await answer(options.prompt, options)
    return { stream: streamOf(partsOf(reply, options.prompt.length)) }
  },
})

type StreamPart = { readonly type: string; readonly [name: string]: unknown }

const partsOf = ({ thinking, text, calls = [], cut, tokens = 10 }: Reply, at: number): StreamPart[] => [
  ...(thinking === undefined
    ? []
    : [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: thinking },
        { type: 'reasoning-end', id: 'r' },
      ]),
  ...(text === undefined
    ? []
    : [
        { type: 'text-start', id: 't' },
        ...(text.match(/\S+\s*/g) ?? []).map((delta) => ({ type: 'text-delta', id: 't', delta })),
        { type: 'text-end', id: 't' },
      ]),
  ...calls.map(([toolName, input], index) => ({
    type: 'tool-call',
    toolCallId: `call_${at}_${index}`,
    toolName,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  })),
  ...(cut
    ? []
    : [
        {
          type: 'finish',
          finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: 'end' },
          usage: tokens === null ? {} : { inputTokens: { total: tokens }, outputTokens: { total: 5 } },
        },
      ]),
]

const streamOf = (parts: readonly StreamPart[]): ReadableStream<StreamPart> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

/** A stream that sends these parts and does not end. */
export const openStream = (parts: readonly StreamPart[]): ReadableStream<StreamPart> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
    },
  })

/** The texts of the last message of a prompt. */
export const lastText = (prompt: readonly ModelMessage[]): string => {
  const last = prompt.at(-1)
  return last?.role === 'user'
    ? last.content.map((part) => (part.type === 'text' ? part.text : part.mediaType)).join('|')
    : ''
}

/** The results of the last message of a prompt, where it has any. */
export const lastResults = (prompt: readonly ModelMessage[]): unknown[] | null => {
  const last = prompt.at(-1)
  return last?.role === 'tool' ? last.content.map(({ output }) => ('value' in output ? output.value : output)) : null
}

export const keyOf = (id = 's1', agent = 'tested'): Key => ({ tenant: 'acme', agent, id })

type Agents = AgentDefinition | Readonly<Record<string, AgentDefinition | (() => AgentDefinition)>>

export class LoopWorld {
  readonly host: Host
  readonly log: ControlledLog
  readonly store: MemoryStore
  readonly clock: VirtualClock
  readonly agents: Agents
  isDead = false

  readonly uploads: Pick<Uploads, 'read'>
  readonly ports: Partial<AgentRunPorts>

  constructor(
    agents: Agents,
    store = memoryStore(),
    clock = new VirtualClock(),
    uploads: Pick<Uploads, 'read'> = { read: async () => null },
    ports: Partial<AgentRunPorts> = {},
  ) {
    this.uploads = uploads
    this.ports = ports
    this.agents = agents
    this.store = store
    this.clock = clock
    this.log = new ControlledLog(store.log)
    const definitions = 'name' in agents ? { tested: agents as AgentDefinition } : agents
    const children = hostChildSessions(() => this.host)
    const runPorts = { clock, digest, uploads, children, ...ports }
    const served = (name: string) => {
      const each = (definitions as Readonly<Record<string, AgentDefinition | (() => AgentDefinition)>>)[name]
      return typeof each === 'function' ? each() : each
    }
    const runners = new Map(
      Object.entries(definitions).map(([name, each]) => [name, nativeRunner(each as AgentDefinition, runPorts)]),
    )
    const runnerOf = (name: string) => {
      const child = runners.has(name) ? undefined : findChildAgent(name, served)
      if (child) runners.set(name, nativeRunner(child, runPorts))
      return runners.get(name) ?? null
    }
    const { log } = this
    this.host = new Host({
      ...{ log, directory: store.directory, clock, digest, tokenPaceMs: 0 },
      runner: runnerOf,
    })
  }

  send<C extends Command>(command: C, key = keyOf()): Promise<AnswerTo<C>> {
    return this.host.send(key, command) as Promise<AnswerTo<C>>
  }

  submit(prompt: string, key = keyOf(), opening?: SessionOptions) {
    return this.send({ type: 'submit', prompt, ...(opening && { opening }) }, key)
  }

  /** Sends a prompt and waits until the session has nothing to do. */
  async ask(prompt: string, key = keyOf(), opening?: SessionOptions): Promise<Payloads['turn_end'] | undefined> {
    await this.submit(prompt, key, opening)
    await this.quiet()
    return (await this.payloads('turn_end', key)).at(-1)
  }

  /** Everything that needs no time has happened. */
  async quiet(): Promise<void> {
    await flushPending(40)
  }

  events(key = keyOf()): Promise<AnyEvent[]> {
    return this.store.log.read(key, 0, 100_000) as Promise<AnyEvent[]>
  }

  async payloads<T extends keyof Payloads>(type: T, key = keyOf()): Promise<Payloads[T][]> {
    return (await this.events(key))
      .filter((event): event is Event<T> & AnyEvent => event.type === type)
      .map(({ payload }) => payload)
  }

  async result(key = keyOf()): Promise<unknown> {
    return (await this.payloads('completed', key)).at(-1)?.result
  }

  async outcomes(key = keyOf()): Promise<string[]> {
    return (await this.payloads('tool_outcome', key)).map(
      ({ tool_name, status, reason }) => `${tool_name} ${status}${reason ? ` ${reason}` : ''}`,
    )
  }

  async openApproval(key = keyOf()): Promise<string> {
    const session = await this.host.open(key)
    const [id] = Object.keys(session.state.approvals.open)
    if (id === undefined) throw new Error('No approval is open.')
    return id
  }

  async approve(decision: 'approved' | 'denied' = 'approved', args?: JsonObject, key = keyOf()): Promise<void> {
    await this.send({ type: 'approve', approvalId: await this.openApproval(key), decision, ...(args && { args }) }, key)
    await this.quiet()
  }

  /** The process ends: nothing that it writes from here on counts. */
  kill(): void {
    this.isDead = true
    this.log.before = () => {
      throw new StoreFault('fenced', 'The process is dead.')
    }
  }

  /** Another process on the same data. */
  async again(agents: Agents = this.agents): Promise<LoopWorld> {
    this.kill()
    const next = new LoopWorld(agents, this.store.reopen(), this.clock, this.uploads, this.ports)
    await next.host.start()
    await next.quiet()
    return next
  }
}
