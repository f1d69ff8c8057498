// The lines of a process: which engine a session speaks through, and one line for each session.
import type { LanguageModel } from '@bridle/agents/model/model'
import { type Key, keyText } from '@bridle/kernel/event'
import {
  isVoiceFault,
  type VoiceClient,
  type VoiceFault,
  type VoiceLine,
  type VoiceLines,
  type VoiceRequest,
} from '@bridle/kernel/ports/voice'
import type { EngineLine, LinePorts, VoiceEngine } from './engine.ts'
import { LineClient } from './line-client.ts'
import type { ProviderAccess } from './realtime/provider.ts'
import { KEY_VARIABLES } from './realtime/providers.ts'
import { type RealtimeLine, realtimeEngine } from './realtime/realtime-line.ts'

/** A client that is back within this goes on with its line; after it, the listener has hung up. Mobile networks change cells in less. */
export const AWAY_MS = 10_000

export interface LinesPorts extends LinePorts {
  /** Whether a model decides what the agent does next: only such an agent can speak through the provider's model. */
  readonly hasModel: (agent: string) => boolean
  /** Null: the server has no key. */
  readonly realtime: ProviderAccess | null
  /** Speech to text and text to speech; null: none is set. */
  readonly cascade: VoiceEngine | null
}

/** A line, and the client that holds it. */
interface HeldLine {
  readonly request: VoiceRequest
  readonly client: LineClient
  /** Null: the line is being opened. */
  line: EngineLine | RealtimeLine | null
  /** The client's present use of the line: the close of an earlier one means nothing. */
  use: object
  isAway: boolean
  /** Null: the client has been there all the time. */
  leftAt: number | null
  cancelTimer: () => void
}

export class Lines implements VoiceLines {
  readonly #ports: LinesPorts
  readonly #realtime: VoiceEngine | null
  readonly #held = new Map<string, HeldLine>()

  constructor(ports: LinesPorts) {
    this.#ports = ports
    this.#realtime = ports.realtime && realtimeEngine(ports.realtime)
  }

  async open(request: VoiceRequest, client: VoiceClient): Promise<VoiceLine | VoiceFault> {
    const name = keyText(request.key)
    const older = this.#held.get(name)
    const isOwn = older !== undefined && isSameClient(older.request, request)
    if (older && !isOwn && !older.isAway) return BUSY
    const engine = this.#engineOf(request.key.agent)
    if (isNoEngine(engine)) return engine
    if (older) {
      // The older socket closes for it: from now on that means nothing.
      older.use = {}
      older.client.current?.fault(REPLACED, true)
      if (isOwn && older.line && isSameTalk(older.request, request))
        return this.#rejoin(name, older, older.line, client)
      this.#release(name, older, !older.isAway)
    }
    const held: HeldLine = {
      ...{ request, line: null, use: {}, isAway: false, leftAt: null, cancelTimer: () => {} },
      client: new LineClient(client, () => this.#release(name, held)),
    }
    this.#held.set(name, held)
    const onClosed = () => this.#release(name, held)
    const opened = await engine.open(request, held.client, this.#ports, onClosed).catch((error) => {
      onClosed()
      throw error
    })
    if (isVoiceFault(opened)) {
      onClosed()
      return opened
    }
    // Another line of the same client has replaced this one meanwhile.
    if (this.#held.get(name) !== held) {
      opened.close()
      return REPLACED
    }
    held.line = opened
    return this.#use(name, held, opened)
  }

  /** The client's socket broke, and is back: it hears the rest. */
  #rejoin(name: string, held: HeldLine, line: EngineLine, client: VoiceClient): VoiceLine {
    const { clock } = this.#ports
    held.cancelTimer()
    held.client.leave()
    if (held.leftAt === null) line.pause()
    held.leftAt ??= clock.now()
    held.isAway = false
    const use = this.#use(name, held, line)
    // The client learns first that its line is open.
    held.cancelTimer = clock.after(0, () => {
      const awayMs = clock.now() - (held.leftAt ?? clock.now())
      held.leftAt = null
      line.resume(awayMs)
      held.client.join(client)
    })
    return use
  }

  /** The line as one socket of its client uses it. */
  #use(name: string, held: HeldLine, line: EngineLine): VoiceLine {
    const use: VoiceLine = {
      model: line.model,
      voice: line.voice,
      kind: line.kind,
      hear: (audio) => line.hear(audio),
      endTurn: () => line.endTurn(),
      say: (text) => line.say(text),
      interrupt: () => line.interrupt(),
      played: (item, ms, isStopped) => line.played(item, ms, isStopped),
      close: () => {
        if (held.use === use) this.#leave(name, held, line)
      },
    }
    held.use = use
    return use
  }

  /** A client that misses something may come back for it. */
  #leave(name: string, held: HeldLine, line: EngineLine): void {
    const { clock } = this.#ports
    held.cancelTimer()
    held.use = {}
    if (held.request.line === undefined || !line.isInUse) return this.#release(name, held)
    held.isAway = true
    held.leftAt ??= clock.now()
    held.client.leave()
    line.pause()
    held.cancelTimer = clock.after(AWAY_MS, () => this.#release(name, held))
  }

  /** The model that answers a session aloud; null: nobody listens. */
  modelFor(key: Key): LanguageModel | null {
    const line = this.#held.get(keyText(key))?.line
    return line && 'answers' in line ? line.answers.model : null
  }

  kindOf(agent: string): VoiceLine['kind'] | null {
    const engine = this.#engineOf(agent)
    if (isNoEngine(engine)) return null
    return engine === this.#realtime ? 'realtime' : 'cascade'
  }

  /** Closes every line: the process is about to end. */
  close(): void {
    for (const [name, held] of [...this.#held]) this.#release(name, held)
  }

  #engineOf(agent: string): VoiceEngine | VoiceFault {
    const { hasModel, cascade } = this.#ports
    if (this.#realtime && hasModel(agent)) return this.#realtime
    if (cascade) return cascade
    return this.#realtime ? NO_VOICE : NO_KEY
  }

  #release(name: string, held: HeldLine, isPlayed = false): void {
    held.cancelTimer()
    if (this.#held.get(name) === held) this.#held.delete(name)
    held.line?.close(isPlayed)
  }
}

/** The name of a line is the client's own: another user who sends the same one is another client. */
const isSameClient = (older: VoiceRequest, newer: VoiceRequest): boolean =>
  newer.line !== undefined && newer.line === older.line && newer.user === older.user && newer.owner === older.owner

/** The line of the older request serves the newer one as it is. */
const isSameTalk = (older: VoiceRequest, newer: VoiceRequest): boolean =>
  TALK_FIELDS.every((field) => older[field] === newer[field])

const TALK_FIELDS = ['session', 'format', 'voice', 'model', 'instructions', 'turns'] as const

const isNoEngine = (engine: VoiceEngine | VoiceFault): engine is VoiceFault => 'code' in engine

const BUSY: VoiceFault = {
  code: 'line_busy',
  message: 'Somebody else speaks with this session now. Try again when that line is closed.',
}
const REPLACED: VoiceFault = {
  code: 'line_replaced',
  message: 'This client has opened the line again, and goes on there.',
}
const NO_KEY: VoiceFault = {
  code: 'voice_unavailable',
  message: `This server has no voice: ${KEY_VARIABLES} is not set. Its operator sets it for agents with a model, or BRIDLE_STT_URL and BRIDLE_TTS_URL for all agents.`,
}
const NO_VOICE: VoiceFault = {
  code: 'voice_unavailable',
  message:
    'This agent has no model that could speak. The operator of the server sets BRIDLE_STT_URL and BRIDLE_TTS_URL, so that it is read out.',
}
