import type { JsonObject } from '@bridle/events/json'
import { withTimeout } from '../../calls/timeout.ts'
import type { TurnEnd, TurnReporter } from '../engine.ts'
import { ClaudeTurnReader } from './messages.ts'
import type { ContextWindow } from './usage.ts'

/** The message that announces a call follows its hook within milliseconds; after this time the hook announces the call. */
const ANNOUNCE_MS = 2_000

/** The current turn: it matches the hooks of the engine with its messages, which arrive in either order. */
export class ActiveTurn {
  readonly turn: TurnReporter
  readonly reader: ClaudeTurnReader
  readonly denied = new Map<string, string>()
  readonly elapsedMs = new Map<string, number>()
  /** Steering messages that the engine has not read; turns that it started, one of them for the prompt; turns that ended. */
  pendingSteers = 0
  turnsStarted = 1
  turnsEnded = 0
  #promptId: string | null = null
  readonly end: (end: TurnEnd) => void
  readonly #callFrames = new Map<string, number>()
  readonly #frameWaiters = new Map<string, (frame: number) => void>()

  constructor(turn: TurnReporter, end: (end: TurnEnd) => void, window: ContextWindow) {
    this.turn = turn
    this.end = end
    this.reader = new ClaudeTurnReader(this, window)
  }

  report(event: Parameters<TurnReporter['report']>[0]): void {
    const frame = this.turn.report(event)
    if (event.type !== 'tool.started') return
    this.#callFrames.set(event.toolUseId, frame)
    this.#frameWaiters.get(event.toolUseId)?.(frame)
  }

  /** The engine reads a steering message in the current turn, or starts another turn with it. */
  promptSubmitted(promptId: string): void {
    const isFirst = this.#promptId === null
    const isOther = !isFirst && this.#promptId !== promptId
    this.#promptId = promptId
    if (isFirst) return
    this.pendingSteers = Math.max(0, this.pendingSteers - 1)
    if (isOther) this.turnsStarted += 1
  }

  /** Hooks overtake messages: wait for the message, so that the text before a call is reported before the call. */
  async announceCall(id: string, name: string, input: JsonObject): Promise<number> {
    const frame = this.#callFrames.get(id)
    if (frame !== undefined) return frame
    const announced = new Promise<number>((resolve) => this.#frameWaiters.set(id, resolve))
    const came = await withTimeout(ANNOUNCE_MS, announced)
    if (came !== 'late') return came
    const message = { message: { content: [{ type: 'tool_use', id, name, input }] } }
    for (const event of this.reader.read({ type: 'assistant', parent_tool_use_id: null, ...message }))
      this.report(event)
    return this.#callFrames.get(id) ?? 0
  }
}
