// Lines that are cut: speakers whose sockets end after a random frame and who come back, in front of a provider whose connections end
// after a random event. All chance comes from a seed. The words of a turn are in its audio, so that a turn of which a part is missing
// has other words.

import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { tool } from '@bridle/agents/tools/tool'
import { type AgentInfo, acceptPrompt } from '@bridle/kernel/agent-info'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import { httpWires, socketWires } from '@bridle/surfaces/all'
import { type App, createApp } from '@bridle/surfaces/app'
import { type SocketReceiver, upgradeSocket } from '@bridle/surfaces/http/streams/socket-route'
import { clock as systemClock } from '@bridle/system/system-ports'
import type { StubEvent, StubTurn } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import { VoiceWorld } from '@bridle/voice/voice-world.suite'
import type { VoiceServerMessage, VoiceTranscript } from '@bridle/wire/voice/wire'
import * as v from 'valibot'
import { vi } from 'vitest'
import { Prng } from '../../../../simulation/prng.ts'

/** Waits between two tries and the like pass twenty times as fast. */
const clock: Clock = { now: systemClock.now, after: (ms, call) => systemClock.after(Math.ceil(ms / 20), call) }
const TRIES_MAX = 40
const PROVIDER_CUTS = 6
const SPEAKER_CUTS = 4
/** The frames of a turn. */
const FRAMES = 5
/** A pause that ends a turn. */
const PAUSE_BYTES = 800 * 48

/** The words of an item in the provider's conversation. */
const wordsOf = ({ content = [], output }: StubEvent): string =>
  output ?? (content as StubEvent[]).map(({ text, transcript }) => text ?? transcript ?? '').join('|')

/** The words of a turn; of one that is not whole, the words of each frame. */
const wordsOfTurn = (audio: Buffer): string => {
  const frames = audio
    .toString('latin1')
    .replaceAll('\0', ' ')
    .split(/\s{2,}/)
    .filter((words) => words !== '')
  const text = frames.at(-1) ?? ''
  const isWhole =
    frames.length === FRAMES &&
    frames.every((words, at) => words === `${text} part ${at + 1}` || (at + 1 === FRAMES && words === text))
  return isWhole ? text : frames.join(' / ')
}

export class CutWorld {
  readonly speakers: Speaker[] = []
  /** The conversation that the provider had at its last response for a session, by the first words in it. */
  readonly conversations: string[][] = []
  /** The numbers of the calls that really ran. */
  readonly calls: number[] = []
  readonly chance: Prng
  readonly turns: 'manual' | 'silence'
  /** Every turn has another number. */
  said = 0
  voice!: VoiceWorld
  app!: App
  #providerCuts = PROVIDER_CUTS

  private constructor(seed: number) {
    this.chance = new Prng(seed)
    this.turns = seed % 2 === 0 ? 'manual' : 'silence'
  }

  static async start(seed: number): Promise<CutWorld> {
    const world = new CutWorld(seed)
    const { calls } = world
    const counter = agent({
      name: 'talker',
      model: scriptedModel(() => ({ text: 'Nobody listens.' })),
      tools: [
        tool({
          name: 'count',
          description: 'Counts.',
          input: v.object({ number: v.number() }),
          run: ({ number }) => {
            calls.push(number)
            return `counted ${number}`
          },
        }),
      ],
    })
    world.voice = await VoiceWorld.start({
      ...{ agents: [counter], clock },
      plan: (_n, _session, items) => world.#plan(items),
      transcribe: wordsOfTurn,
      cutAfter: () => world.#cutAfter(),
    })
    world.app = createApp(
      {
        ...{ host: world.voice.host, directory: world.voice.directory, voice: world.voice.lines, clock },
        ...{ exposeAll: true, defaultAgent: 'talker', agents: new Map([['talker', info]]) },
      },
      httpWires,
    )
    return world
  }

  /** From now on nothing is cut. */
  calm(): void {
    this.#providerCuts = 0
    for (const speaker of this.speakers) speaker.cuts = 0
  }

  async close(): Promise<void> {
    for (const speaker of this.speakers) speaker.leave()
    await this.voice.close()
  }

  #cutAfter(): number {
    if (this.#providerCuts === 0 || this.chance.chance(0.3)) return Number.POSITIVE_INFINITY
    this.#providerCuts -= 1
    return this.chance.int(1, 50)
  }

  /** A prompt with "count" is a call first; any other, and the outcome of a call, is answered with what it says. */
  #plan(items: readonly StubEvent[]): StubTurn {
    this.conversations.push(items.filter(({ type, role }) => type === 'message' && role !== 'system').map(wordsOf))
    const last = items.at(-1) ?? {}
    const words = wordsOf(last)
    const number = /count (\d+)/.exec(words)?.[1]
    if (number !== undefined && last.type === 'message')
      return { call: { name: 'count', args: { number: Number(number) } } }
    return { says: `You said ${words} and I have heard it well.`, chunkBytes: 960, chunkMs: 0 }
  }
}

const info: AgentInfo = {
  ...{ name: 'talker', engine: 'native', runnerKind: 'in_process', description: '', webhook: true, needs: null },
  accept: acceptPrompt,
}

/** The calls on a receiver arrive like frames of a network: in order, and not after the socket is gone. */
interface SpeakerSocket {
  receiver: SocketReceiver | null
  isOpen: boolean
  frames: number
}

export class Speaker {
  readonly key: Key
  /** Everything that was ever said, whole. */
  readonly said = new Set<string>()
  /** The last transcript of each message that this speaker got. */
  readonly transcripts = new Map<string, VoiceTranscript>()
  cuts = SPEAKER_CUTS
  readonly #world: CutWorld
  #socket: SpeakerSocket | null = null
  #isReady = false
  #cursor: string | null = null
  #events: VoiceServerMessage[] = []
  #item: string | null = null

  constructor(world: CutWorld, id: string) {
    this.#world = world
    this.key = { tenant: 'default', agent: 'talker', id }
    world.speakers.push(this)
  }

  /** Says something until the session has it, in other words each time; resolves when it is answered. */
  async turn(name: string): Promise<void> {
    const { chance } = this.#world
    for (let count = 0; count < TRIES_MAX; count++) {
      this.#world.said += 1
      const number = this.#world.said
      const text = `${this.key.id} ${name} ${chance.chance(0.4) ? `count ${number}` : `says ${number}`}`
      if (!(await this.#connect())) continue
      this.#events = []
      await this.#speak(text)
      const isInterrupting = this.cuts > 0 && chance.chance(0.2)
      await this.#until(
        () =>
          !this.#isReady || this.#has('response_done') || this.#hasLost() || (isInterrupting && this.#item !== null),
      )
      if (this.#isReady && isInterrupting && this.#item !== null) await this.#command({ type: 'cancel_response' })
      await this.#rested()
      if ((await this.messages()).some(({ content }) => content === text)) return
    }
    throw new Error(`${this.key.id} was cut too often.`)
  }

  async messages(): Promise<readonly HarnessMessage[]> {
    return this.#world.voice.messages(this.key)
  }

  async events(): Promise<readonly AnyEvent[]> {
    return this.#world.voice.events(this.key)
  }

  leave(): void {
    const socket = this.#socket
    this.#socket = null
    this.#isReady = false
    if (socket?.isOpen) socket.receiver?.onClosed()
    if (socket) socket.isOpen = false
  }

  /** Gets everything that the log has by now. */
  async catchUp(): Promise<void> {
    this.leave()
    await this.#connect()
    this.#events = []
    await this.#command({ type: 'ping' })
    await this.#until(() => this.#has('pong'))
  }

  async #speak(text: string): Promise<void> {
    this.said.add(text)
    // Words in each frame of 40 ms, so that a missing one shows, and so does one too many.
    for (let part = 1; part <= FRAMES && this.#isReady; part++) {
      const frame = Buffer.alloc(1_920, ' ')
      frame.write(part === FRAMES ? text : `${text} part ${part}`, 'latin1')
      await this.#frame((receiver) => receiver.onBinary?.(frame))
    }
    if (this.#world.turns === 'silence') await this.#pause()
    else await this.#command({ type: 'audio', end: true })
  }

  #pause(): Promise<void> {
    return this.#frame((receiver) => receiver.onBinary?.(new Uint8Array(PAUSE_BYTES)))
  }

  #command(message: object): Promise<void> {
    return this.#frame((receiver) => receiver.onMessage(JSON.stringify(message)))
  }

  async #frame(send: (receiver: SocketReceiver) => Promise<void> | void): Promise<void> {
    const socket = this.#socket
    if (!socket?.isOpen || !socket.receiver || !this.#count(socket)) return
    // The server answers whenever it likes; the next frame does not wait for it.
    void send(socket.receiver)
    await new Promise(setImmediate)
  }

  /** False: the connection has just ended. The server learns of it at once, or when the speaker comes back. */
  #count(socket: SpeakerSocket): boolean {
    socket.frames -= 1
    if (socket.frames > 0 || this.cuts === 0) return true
    this.cuts -= 1
    socket.isOpen = false
    this.#isReady = false
    const close = () => socket.receiver?.onClosed()
    if (this.#world.chance.chance(0.5)) setImmediate(close)
    else setTimeout(close, 50)
    return false
  }

  async #connect(): Promise<boolean> {
    if (this.#isReady) return true
    const after = this.#cursor === null ? '' : `&after=${this.#cursor}`
    const url = `http://127.0.0.1/sessions/${this.key.id}/voice?agent=talker&turns=${this.#world.turns}&line=${this.key.id}${after}`
    const answer = await upgradeSocket(socketWires, new Request(url), '127.0.0.1', this.#world.app.ports)
    if (typeof answer !== 'function') throw new Error(`${answer.status} ${await answer.text()}`)
    const { chance } = this.#world
    this.#events = []
    const frames = chance.chance(0.8) ? chance.int(1, 40) : Number.POSITIVE_INFINITY
    const socket: SpeakerSocket = { receiver: null, isOpen: true, frames }
    const take = (get: () => void) => {
      if (socket.isOpen && this.#count(socket)) get()
    }
    this.#socket = socket
    socket.receiver = answer({
      send: (messages) => {
        for (const message of messages) take(() => this.#receive(JSON.parse(message) as VoiceServerMessage))
      },
      sendBinary: () => take(() => {}),
      close: () => {
        socket.isOpen = false
        if (this.#socket === socket) this.#isReady = false
      },
      buffered: () => 0,
      drained: async () => {},
    })
    await this.#until(() => this.#isReady || !socket.isOpen)
    // A speaker takes breath: what an open microphone hears without a pause belongs to the sentence in which the line broke.
    if (this.#isReady && this.#world.turns === 'silence') await this.#pause()
    return this.#isReady
  }

  #receive(message: VoiceServerMessage): void {
    this.#events.push(message)
    if (message.type === 'session_open') {
      this.#isReady = true
      // The first cursor: everything is sent again after each cut.
      this.#cursor ??= message.cursor
    }
    if (message.type === 'audio_delta') this.#item = message.item
    if (message.type === 'audio_stop') void this.#command({ type: 'played', item: message.item, ms: 40, stopped: true })
    if (message.type === 'transcript') this.transcripts.set(message.messageId, message)
  }

  #has(type: VoiceServerMessage['type']): boolean {
    return this.#events.some((each) => each.type === type)
  }

  #hasLost(): boolean {
    return this.#events.some((each) => each.type === 'error')
  }

  async #rested(): Promise<void> {
    await this.#until(async () => {
      const { state } = await this.#world.voice.host.open(this.key)
      return state.lifecycle.run === null
    })
  }

  #until(isSo: () => boolean | Promise<boolean>): Promise<unknown> {
    return vi.waitUntil(isSo, { timeout: 20_000, interval: 2 })
  }
}
