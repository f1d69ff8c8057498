// The client's copy of the server's state, and when subscribers are notified. A delta that does not fit is rejected as a
// whole, and the next connection starts from a complete state.
import type { DeltaOperation } from '@bridle/kernel/delta'
import { positionText } from '@bridle/kernel/positions/log-position'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import { applyToState } from '@bridle/kernel/state-operations'
import type { ServerMessage } from '@bridle/wire/transport/wire'
import { isMessage, isState, ProtocolError } from './server-messages.ts'

/** Hidden tabs get no animation frames. Four updates a second keep them current at little cost. */
const HIDDEN_MS = 250

type ServerMessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>

export class Replica {
  #state: HarnessState = { status: 'idle', messages: [] }
  #seq: number | null = null
  #incarnation = 1
  #hasState = false

  get state(): HarnessState {
    return this.#state
  }

  /** Sequence number of the state. Null if the server sends none, or after a delta that did not fit. */
  get seq(): number | null {
    return this.#seq
  }

  get cursor(): string | null {
    return this.#seq === null ? null : positionText(this.#seq, this.#incarnation)
  }

  /** Unless resumed, the connection must start with a state. */
  beginConnection(isResumed: boolean): void {
    this.#hasState = isResumed
  }

  replace({ state, seq, incarnation = 1 }: ServerMessageOf<'state'>): void {
    this.#state = state
    this.#seq = seq ?? null
    this.#incarnation = incarnation
    this.#hasState = true
  }

  /** Atomic: throws before anything changes. */
  apply({ operations, seq, prev }: ServerMessageOf<'delta'>): void {
    if (!this.#hasState) throw new ProtocolError('a delta before any state')
    if (prev !== undefined && this.#seq !== null && prev !== this.#seq)
      throw new ProtocolError(`a gap: at ${this.#seq}, got a delta from ${prev}`)
    if (seq !== undefined && seq < (prev ?? 0)) throw new ProtocolError('a delta that leads backwards')
    const next = applyToState(this.#state, operations)
    if (!isState(next) || !changedMessages(next, operations).every(isMessage))
      throw new ProtocolError('a delta that spoils the state')
    this.#state = next
    this.#seq = seq ?? null
  }

  forget(): void {
    this.#seq = null
    this.#hasState = false
  }
}

/** Only changed messages are validated: validating all of them per delta would slow down long sessions. */
const changedMessages = ({ messages }: HarnessState, operations: readonly DeltaOperation[]): unknown[] => {
  const indices = new Set<string>()
  for (const { path } of operations) {
    if (path[0] === undefined || (path[0] === 'messages' && path[1] === undefined)) return [...messages]
    if (path[0] === 'messages') indices.add(path[1] as string)
  }
  return [...indices].map((index) => messages[Number(index)])
}

// When subscribers are notified. An answer streams in hundreds of deltas per second, but a screen shows sixty frames.

export type NotificationSchedule = 'frame' | 'micro' | 'sync'

/** Coalesces calls of `schedule` into one `publish`. */
export class NotificationScheduler {
  readonly #publish: () => void
  readonly #schedule: NotificationSchedule
  #cancel: (() => void) | null = null

  constructor(schedule: NotificationSchedule, publish: () => void) {
    this.#publish = publish
    this.#schedule = schedule === 'frame' && typeof requestAnimationFrame !== 'function' ? 'micro' : schedule
  }

  schedule(): void {
    if (this.#cancel) return
    if (this.#schedule === 'sync') return this.#publish()
    this.#cancel = this.#schedule === 'frame' ? nextFrame(() => this.flush()) : nextTurn(() => this.flush())
  }

  flush(): void {
    if (!this.#cancel) return
    this.#cancel()
    this.#cancel = null
    this.#publish()
  }
}

/** Also sets a timer, because a frame requested before the tab was hidden never comes. */
const nextFrame = (run: () => void): (() => void) => {
  const frame = requestAnimationFrame(run)
  const timer = setTimeout(run, HIDDEN_MS)
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

const nextTurn = (run: () => void): (() => void) => {
  let isOff = false
  queueMicrotask(() => isOff || run())
  return () => {
    isOff = true
  }
}
