// Lines without a provider and sockets without a network, in front of a real session.
import { createHash } from 'node:crypto'
import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import { isRefusal } from '@bridle/kernel/commands'
import { keyText } from '@bridle/kernel/event'
import type { VoiceClient, VoiceFault, VoiceLine, VoiceLines, VoiceRequest } from '@bridle/kernel/ports/voice'
import type { VoiceClientMessage, VoiceServerMessage } from '@bridle/wire/voice/wire'
import { vi } from 'vitest'
import { socketWires } from '../all.ts'
import type { AppOptions, AppPorts } from '../app.ts'
import { type SocketOpener, type SocketReceiver, upgradeSocket } from '../http/streams/socket-route.ts'
import { testApp } from '../http/test-app.suite.ts'
import { voiceSocketRoutes } from './routes.ts'

/** A line that keeps what it gets. Texts become spoken prompts, which the scripted agent plays. */
export class FakeLine implements VoiceLine {
  readonly model = 'fake-realtime'
  readonly kind = 'realtime'
  readonly voice: string
  readonly request: VoiceRequest
  readonly client: VoiceClient
  /** Everything in its order: audio as its length in bytes, and the names of the calls. */
  readonly calls: (number | string)[] = []
  isClosed = false
  /** A promise that `hear` returns. */
  full: Promise<void> | undefined
  #say: (text: string) => Promise<void>

  constructor(request: VoiceRequest, client: VoiceClient, say: (request: VoiceRequest, text: string) => Promise<void>) {
    this.request = request
    this.voice = request.voice ?? 'fake-voice'
    this.client = client
    this.#say = (text) => say(request, text)
  }

  hear(audio: Uint8Array): Promise<void> | undefined {
    this.calls.push(audio.length)
    return this.full
  }
  endTurn(): void {
    this.calls.push('end')
  }
  say(text: string): Promise<void> {
    this.calls.push('say')
    return this.#say(text)
  }
  async interrupt(): Promise<void> {
    this.calls.push('interrupt')
  }
  played(item: string, ms: number, isStopped = false): void {
    this.calls.push(`played ${item} ${ms}${isStopped ? ' stopped' : ''}`)
  }
  close(): void {
    this.isClosed = true
  }
}

export class FakeLines implements VoiceLines {
  readonly lines: FakeLine[] = []
  /** The next lines are refused with this. */
  fault: VoiceFault | null = null
  /** Lines open when this resolves. */
  gate: Promise<void> = Promise.resolve()
  readonly #say: (request: VoiceRequest, text: string) => Promise<void>

  constructor(say: (request: VoiceRequest, text: string) => Promise<void>) {
    this.#say = say
  }

  async open(request: VoiceRequest, client: VoiceClient): Promise<VoiceLine | VoiceFault> {
    await this.gate
    if (this.fault) return this.fault
    const current = this.lines.find((each) => !each.isClosed && keyText(each.request.key) === keyText(request.key))
    if (current && current.request.line !== request.line) return { code: 'line_busy', message: 'Wait.' }
    if (current) current.client.fault({ code: 'line_replaced', message: 'You have a newer line.' }, true)
    const line = new FakeLine(request, client, this.#say)
    this.lines.push(line)
    return line
  }

  get last(): FakeLine {
    const line = this.lines.at(-1)
    if (!line) throw new Error('No line was opened.')
    return line
  }
}

/** An app whose lines are fake, with the agents `voice`, `scripted` and `hooked`. */
export const voiceApp = (options: Partial<AppOptions> = {}) => {
  const clock = { now: () => Date.now(), after: () => () => {} }
  const digest = async (text: string) => createHash('sha256').update(text).digest('hex')
  const lines: FakeLines = new FakeLines(async ({ key, user, owner }, text) => {
    const person = { ...(user !== null && { actor: user }), ...(owner !== undefined && { owner }) }
    const answer = await world.host.send(key, { type: 'submit', prompt: text, spoken: true, ...person })
    if (isRefusal(answer)) throw new Error(answer.message)
  })
  const world = testApp({ voice: lines, ...options }, { voice: scriptedRunner({ clock, digest }) })
  const dial = (path: string, headers: Record<string, string> = {}) =>
    FakeVoiceSocket.dial(world.app.ports, path, headers)
  return { ...world, lines, dial }
}

/** A message that never comes is a failure that says so, and no endless loop. */
const WAIT = { timeout: 10_000, interval: 1 }

/** The client's end of a voice socket. */
export class FakeVoiceSocket {
  /** Messages and binary frames in their order. */
  readonly received: (VoiceServerMessage | Uint8Array)[] = []
  receiver!: SocketReceiver
  waiting = 0
  end: { readonly code: number; readonly reason: string } | null = null

  static async dial(ports: AppPorts, path: string, headers: Record<string, string> = {}): Promise<FakeVoiceSocket> {
    const request = new Request(`http://127.0.0.1${path}`, { headers })
    const answer = await upgradeSocket(socketWires, request, '127.0.0.1', ports)
    if (typeof answer !== 'function') throw new Error(`${answer.status} ${await answer.text()}`)
    return new FakeVoiceSocket(answer)
  }

  /** The same socket after its object has slept: the memory of the server is gone, and the client noticed nothing. */
  async wake(ports: AppPorts, head: number): Promise<void> {
    const state = structuredClone(this.receiver.hibernate?.())
    this.receiver.onClosed()
    const [row] = voiceSocketRoutes
    this.attach((await row?.restore(state, head, ports)) as SocketOpener)
  }

  constructor(open: SocketOpener) {
    this.attach(open)
  }

  private attach(open: SocketOpener): void {
    this.receiver = open({
      send: (messages) => {
        if (this.end) return
        this.received.push(...messages.map((message) => JSON.parse(message) as VoiceServerMessage))
      },
      sendBinary: (bytes) => void (this.end ? 0 : this.received.push(bytes)),
      close: (code, reason) => {
        this.end ??= { code, reason }
      },
      buffered: () => this.waiting,
      drained: async () => {},
    })
  }

  get messages(): VoiceServerMessage[] {
    return this.received.flatMap((each) => (each instanceof Uint8Array ? [] : [each]))
  }

  types(): string[] {
    return this.received.map((each) => (each instanceof Uint8Array ? 'binary' : each.type))
  }

  errors(): string[] {
    return this.messages.flatMap((message) => (message.type === 'error' ? [message.code] : []))
  }

  async say(message: VoiceClientMessage): Promise<void> {
    await this.receiver.onMessage(JSON.stringify(message))
  }

  async hear(bytes: Uint8Array): Promise<void> {
    await this.receiver.onBinary?.(bytes)
  }

  hangUp(): void {
    this.end ??= { code: 1000, reason: '' }
    this.receiver.onClosed()
  }

  async until(type: VoiceServerMessage['type'], times = 1): Promise<void> {
    await vi.waitUntil(() => this.end || this.types().filter((each) => each === type).length >= times, WAIT)
    if (this.types().filter((each) => each === type).length < times)
      throw new Error(`The socket closed: ${JSON.stringify([this.end, this.messages])}`)
  }

  closed(): Promise<{ readonly code: number; readonly reason: string }> {
    return vi.waitUntil(() => this.end, WAIT)
  }
}
