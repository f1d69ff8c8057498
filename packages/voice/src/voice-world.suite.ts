// Shared by the tests of lines: sessions of model agents on the memory store, a realtime provider on loopback, and clients that keep
// what they hear.

import { type AgentDefinition, agent } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { isRefusal } from '@bridle/kernel/commands'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { digest } from '@bridle/kernel/host/host.suite'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Directory } from '@bridle/kernel/ports/directory'
import {
  isVoiceFault,
  type VoiceClient,
  type VoiceFault,
  type VoiceLine,
  type VoiceRequest,
} from '@bridle/kernel/ports/voice'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import { clock as systemClock } from '@bridle/system/system-ports'
import { expect, vi } from 'vitest'
import { Lines, type LinesPorts } from './lines.ts'
import { connectProvider } from './node/provider-socket.ts'
import { openai } from './realtime/openai/openai.ts'
import { type RealtimeStub, type StubOptions, startRealtimeStub } from './realtime/openai/realtime-stub.suite.ts'

export const KEY = 'sk-very-secret'

export const talker: AgentDefinition = agent({
  name: 'talker',
  model: scriptedModel(() => ({ text: 'Written, not spoken.' })),
  instructions: 'You are Ada.',
})

/** A client of a line, with everything that it got. */
export class TestClient implements VoiceClient {
  readonly heard: { readonly item: string; readonly bytes: number }[] = []
  readonly speeches: string[] = []
  readonly interruptions: string[] = []
  readonly faults: (VoiceFault & { readonly isFinal: boolean })[] = []
  onInterrupted: (item: string) => void = () => {}
  /** Reports what was played; null: the client never does. */
  report: ((item: string, ms: number, isStopped?: boolean) => void) | null = null
  /** Plays everything as soon as it comes. */
  isFast = true

  audio(item: string, bytes: Uint8Array): void {
    this.heard.push({ item, bytes: bytes.length })
    if (this.isFast) this.report?.(item, this.msOf(item))
  }
  speech(state: 'started' | 'stopped'): void {
    this.speeches.push(state)
  }
  interrupted(item: string): void {
    this.interruptions.push(item)
    this.onInterrupted(item)
  }
  fault(fault: VoiceFault, isFinal: boolean): void {
    this.faults.push({ ...fault, isFinal })
  }
  get bytes(): number {
    return this.heard.reduce((sum, { bytes }) => sum + bytes, 0)
  }
  msOf(item: string): number {
    return this.heard.reduce((sum, each) => sum + (each.item === item ? each.bytes / 48 : 0), 0)
  }
}

export interface WorldOptions extends StubOptions {
  readonly agents?: readonly AgentDefinition[]
  readonly clock?: Clock
  readonly ports?: Partial<LinesPorts>
}

export class VoiceWorld {
  readonly host: Host
  readonly lines: Lines
  readonly stub: RealtimeStub
  readonly directory: Directory

  private constructor(stub: RealtimeStub, { agents = [talker], clock = systemClock, ports = {} }: WorldOptions) {
    this.stub = stub
    const store = memoryStore()
    this.directory = store.directory
    const runners = new Map(
      agents.map((definition) => [
        definition.name,
        nativeRunner(definition, { clock, digest, voiceModel: (key) => this.lines.modelFor(key) }),
      ]),
    )
    this.host = new Host({
      ...{ log: store.log, directory: store.directory, clock, digest, tokenPaceMs: 0 },
      runner: (name) => runners.get(name) ?? null,
    })
    this.lines = new Lines({
      clock,
      send: (key, command) => this.host.send(key, command),
      hasModel: (name) => agents.some((each) => each.name === name && each.model !== null),
      realtime: { provider: openai, url: stub.url, key: KEY, connect: connectProvider },
      cascade: null,
      ...ports,
    })
  }

  static async start(options: WorldOptions = {}): Promise<VoiceWorld> {
    return new VoiceWorld(await startRealtimeStub({ key: KEY, ...options }), options)
  }

  async dial(
    id: string,
    wishes: Partial<VoiceRequest> = {},
    client = new TestClient(),
  ): Promise<{ line: VoiceLine | VoiceFault; client: TestClient; key: Key }> {
    const key = { tenant: 'acme', agent: 'talker', id, ...wishes.key }
    const session = await this.host.open(key)
    const request = { session, format: 'pcm16', turns: 'manual', user: 'ann', ...wishes, key } as const
    const line = await this.lines.open(request, client)
    if (!isVoiceFault(line)) client.report = (item, ms, isStopped) => line.played(item, ms, isStopped)
    return { line, client, key }
  }

  async open(id: string, wishes: Partial<VoiceRequest> = {}, client = new TestClient()) {
    const { line, key } = await this.dial(id, wishes, client)
    if (isVoiceFault(line)) throw new Error(line.message)
    return { line, client, key }
  }

  async messages(key: Key): Promise<readonly HarnessMessage[]> {
    return (await this.host.open(key)).state.conversation.messages
  }

  /** The conversation in short: `user: Hi`. */
  async talk(key: Key): Promise<string[]> {
    return (await this.messages(key)).map(({ role, content }) => `${role}: ${content}`)
  }

  async events(key: Key): Promise<readonly AnyEvent[]> {
    return (await this.host.open(key)).read(0, 1000)
  }

  /** Waits until the session has so many messages and rests. */
  async rested(key: Key, messages: number): Promise<void> {
    await eventually(async () => {
      const session = await this.host.open(key)
      expect(session.state.conversation.messages.length).toBeGreaterThanOrEqual(messages)
      expect(session.state.lifecycle.run).toBeNull()
    })
  }

  async write(key: Key, prompt: string): Promise<void> {
    const answer = await this.host.send(key, { type: 'submit', prompt })
    if (isRefusal(answer)) throw new Error(answer.message)
  }

  async close(): Promise<void> {
    this.lines.close()
    await this.host.stop()
    await this.stub.close()
  }
}

/** Retries until the check passes. Long enough for a busy machine: a second, the default of Vitest, is not. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 30_000, interval: 5 })

/** So many milliseconds of a voice, or of silence. */
export const voice = (ms: number): Uint8Array => new Uint8Array(ms * 48).fill(7)
export const silence = (ms: number): Uint8Array => new Uint8Array(ms * 48)
