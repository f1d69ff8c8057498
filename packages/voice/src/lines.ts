// The open lines of a process, one per session, and the engine of each.
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

/** Grace period for a reconnect, longer than a mobile handover. After it, the listener has hung up. */
export const AWAY_MS = 10_000

export interface LinesPorts extends LinePorts {
  /** Only agents driven by a model can use a realtime provider. */
  readonly hasModel: (agent: string) => boolean
  readonly realtime: ProviderAccess | null
  readonly cascade: VoiceEngine | null
}

interface HeldLine {
  readonly request: VoiceRequest
  readonly client: LineClient
  /** Null while opening. */
  line: EngineLine | RealtimeLine | null
  /** Identifies the current socket, so that the close of an older one is ignored. */
  use: object
  isAway: boolean
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
      // Ignore the close of the older socket from now on.
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
    // Replaced by another line of the same client while opening.
    if (this.#held.get(name) !== held) {
      opened.close()
      return REPLACED
    }
    held.line = opened
    return this.#use(name, held, opened)
  }

  #rejoin(name: string, held: HeldLine, line: EngineLine, client: VoiceClient): VoiceLine {
    const { clock } = this.#ports
    held.cancelTimer()
    held.client.leave()
    if (held.leftAt === null) line.pause()
    held.leftAt ??= clock.now()
    held.isAway = false
    const use = this.#use(name, held, line)
    // Let the client see its line open before any audio.
    held.cancelTimer = clock.after(0, () => {
      const awayMs = clock.now() - (held.leftAt ?? clock.now())
      held.leftAt = null
      line.resume(awayMs)
      held.client.join(client)
    })
    return use
  }

  /** A line as seen through one socket. */
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

  /** Keeps the line for a while if the client would miss something. */
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

  /** The realtime model that answers the session. Null without a realtime line. */
  modelFor(key: Key): LanguageModel | null {
    const line = this.#held.get(keyText(key))?.line
    return line && 'answers' in line ? line.answers.model : null
  }

  kindOf(agent: string): VoiceLine['kind'] | null {
    const engine = this.#engineOf(agent)
    if (isNoEngine(engine)) return null
    return engine === this.#realtime ? 'realtime' : 'cascade'
  }

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

/** Clients choose line names, so another user with the same name is another client. */
const isSameClient = (older: VoiceRequest, newer: VoiceRequest): boolean =>
  newer.line !== undefined && newer.line === older.line && newer.user === older.user && newer.owner === older.owner

/** The open line can be reused unchanged. */
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
