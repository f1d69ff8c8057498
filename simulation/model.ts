// The log as an outside observer sees it: the store's raw text, copied at each step, so that a later change shows.
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { keyText } from '@bridle/kernel/event'
import type { MemorySession } from '@bridle/kernel/memory/memory-data'
import { emptyState, evolve, type SessionState } from '@bridle/kernel/projections/state'
import type { SimulationContext } from './ground.ts'
import { fail } from './ground.ts'
import { Ledger } from './ledger.ts'

/** A life of a session's key, from its first append to its removal. */
export class SessionHistory {
  readonly key: Key
  readonly name: string
  readonly session: MemorySession
  readonly base: number
  readonly parent: SessionHistory | null
  readonly texts: string[] = []
  readonly events: AnyEvent[] = []
  readonly ledger: Ledger
  readonly #states: SessionState[] = []
  readonly #start: SessionState

  constructor(ground: SimulationContext, session: MemorySession, parent: SessionHistory | null) {
    this.key = session.key
    this.name = `${keyText(session.key)}#${session.order}`
    this.session = session
    this.base = session.base
    this.parent = parent
    this.ledger = new Ledger(ground, this)
    this.#start = parent ? parent.stateAt(session.base)! : { ...emptyState, head: session.base }
  }

  /** The oldest ancestor whose events this log continues. */
  get root(): SessionHistory {
    return this.parent?.root ?? this
  }

  get head(): number {
    return this.base + this.texts.length
  }

  get state(): SessionState {
    return this.#states.at(-1) ?? this.#start
  }

  get atStart(): number {
    return this.#start.at
  }

  stateAt(seq: number): SessionState | undefined {
    if (seq > this.base) return this.#states[seq - this.base - 1]
    return seq === this.base ? this.#start : this.parent?.stateAt(seq)
  }

  /** The text at a number, through the lineage; undefined where there is none. */
  textAt(seq: number): string | undefined {
    return seq > this.base ? this.texts[seq - this.base - 1] : this.parent?.textAt(seq)
  }

  take(text: string): AnyEvent {
    const event = JSON.parse(text) as AnyEvent
    this.#states.push(evolve(this.state, event))
    this.texts.push(text)
    this.events.push(event)
    return event
  }
}

export class StoreModel {
  readonly #ground: SimulationContext
  readonly #lives = new Map<MemorySession, SessionHistory>()

  constructor(ground: SimulationContext) {
    this.#ground = ground
  }

  /** Every life there ever was, in the order they began. */
  get lives(): readonly SessionHistory[] {
    this.read()
    return [...this.#lives.values()]
  }

  /** The life of a key now. */
  current(key: Key): SessionHistory | null {
    this.read()
    const session = this.#ground.data.sessions.get(keyText(key))
    return session ? this.#lives.get(session)! : null
  }

  livesOf(key: Key): readonly SessionHistory[] {
    return this.lives.filter((life) => keyText(life.key) === keyText(key))
  }

  /** Reads and checks the new events in the store. */
  read(): void {
    for (const session of this.#ground.data.sessions.values()) this.#readOne(session)
    for (const session of this.#lives.keys()) this.#readOne(session)
  }

  /** Checks that no earlier event has changed. */
  assertUnchanged(): void {
    for (const { session, texts, name } of this.lives)
      for (const [index, text] of texts.entries())
        if (session.events[index] !== text)
          fail(this.#ground, 1, `event ${session.base + index + 1} of ${name} changed`)
  }

  #readOne(session: MemorySession): SessionHistory {
    const life = this.#lives.get(session) ?? this.#begin(session)
    const { texts, name } = life
    if (session.events.length < texts.length)
      fail(this.#ground, 1, `${name} lost events behind ${session.events.length}`)
    for (let at = texts.length; at < session.events.length; at++) life.ledger.enter(life.take(session.events[at]!))
    return life
  }

  #begin(session: MemorySession): SessionHistory {
    const parent = session.parent ? this.#readOne(session.parent.session) : null
    const life = new SessionHistory(this.#ground, session, parent)
    const heads = [...this.#lives.values()]
      .filter(({ key }) => keyText(key) === keyText(session.key))
      .map(({ head }) => head)
    // A client may hold a cursor into an earlier life: its numbers must not return as other events.
    if (session.base < Math.max(0, ...heads)) fail(this.#ground, 3, `${life.name} begins again at ${session.base}`)
    this.#lives.set(session, life)
    return life
  }
}
