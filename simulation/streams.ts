// A client that watches a session. The client keeps a cursor and its fold of the events; a connection that breaks loses the
// messages in flight.
import { isDeepStrictEqual } from 'node:util'
import { LISTENER_BYTES_MAX } from '@bridle/events/limits'
import { DeltaError, type DeltaOperation } from '@bridle/kernel/delta'
import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import { conversationOperations } from '@bridle/kernel/projections/conversation'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { Session } from '@bridle/kernel/session/session'
import type { Audience, CommittedChange, Listener } from '@bridle/kernel/session/subscribers'
import { applyToState } from '@bridle/kernel/state-operations'
import { fail, note, type SimulationContext } from './ground.ts'
import type { SessionHistory, StoreModel } from './model.ts'
import type { SimulatedProcess } from './process.ts'

/** events: every event, resumed by cursor. operations: a snapshot, then the operations on it. */
export type StreamKind = 'events' | 'operations'

export class WatchingClient {
  readonly name: string
  readonly key: Key
  readonly kind: StreamKind
  /** The last number that arrived. */
  cursor = 0
  life: SessionHistory | null = null
  conversation: HarnessState | null = null
  #leave: (() => void) | null = null
  /** Counts connections: messages of an old one are dropped. */
  #connection = 0
  #slow = false
  readonly #ground: SimulationContext
  readonly #model: StoreModel

  constructor(ground: SimulationContext, model: StoreModel, name: string, key: Key, kind: StreamKind) {
    this.#ground = ground
    this.#model = model
    this.name = name
    this.key = key
    this.kind = kind
  }

  get connected(): boolean {
    return this.#leave !== null
  }

  connect(process: SimulatedProcess): void {
    this.disconnect()
    const connection = ++this.#connection
    process.onEnd.push(() => this.#lost(connection))
    process.later(this.#ground.prng.int(0, 5), () => {
      // Some clients watch a session before its first event.
      const found = this.#ground.prng.chance(0.5) ? process.host.open(this.key) : process.host.find(this.key)
      found.then(
        (session) => {
          if (session && process.alive && connection === this.#connection) this.#join(session, process, connection)
        },
        () => {},
      )
    })
  }

  disconnect(): void {
    const leave = this.#leave
    this.#lost(this.#connection)
    leave?.()
  }

  /** Stops reading for a while; the server cuts the connection instead of buffering its bytes. */
  stall(): void {
    this.#slow = true
  }

  #lost(connection: number): void {
    if (connection !== this.#connection) return
    this.#connection += 1
    this.#leave = null
    this.#slow = false
  }

  #join(session: Session, process: SimulatedProcess, connection: number): void {
    process.sessions.add(session)
    const life = this.#model.current(this.key)
    // A removed id that is used again continues its numbers, and the gap tells the client to start over.
    if (life !== this.life) {
      this.life = life
      this.conversation = null
      this.cursor = life?.root.base ?? 0
    }
    // The server is behind what this client has seen elsewhere: it refuses, and the client connects to another.
    if (this.cursor > session.state.head && session.exists) return this.#lost(connection)
    const since = this.kind === 'operations' ? this.#snapshot(session) : this.cursor
    note(this.#ground, `${this.name} watches ${keyText(this.key)} after ${since} on ${process.name}`)
    this.#leave = () => {}
    const listener: Listener = {
      audience: audiences[this.kind],
      unsent: () => (this.#slow ? LISTENER_BYTES_MAX + 1 : 0),
      send: (text, seq) => {
        if (!process.alive || connection !== this.#connection) return
        this.#assertCommitted(text, seq)
        process.later(1, () => {
          if (connection === this.#connection) this.#take(JSON.parse(text) as StreamMessage, seq)
        })
      },
      close: (why) => {
        if (!process.alive) return
        note(this.#ground, `${this.name} is cut: ${why}`)
        this.#lost(connection)
      },
    }
    session.subscribers.add(listener, since)
    if (connection === this.#connection) this.#leave = () => session.subscribers.remove(listener)
  }

  #snapshot({ state }: Session): number {
    this.conversation = state.conversation
    this.cursor = state.head
    return state.head
  }

  /** Checks that every event is in the log before a client sees it. */
  #assertCommitted(text: string, seq: number): void {
    if (!this.#model.livesOf(this.key).some((life) => life.textAt(seq) !== undefined))
      fail(this.#ground, 1, `${this.name} is shown ${seq} of ${keyText(this.key)}, which is not in the log`)
    if (text.length === 0) fail(this.#ground, 3, `${this.name} is sent nothing`)
  }

  #take(message: StreamMessage, seq: number): void {
    const life = this.life ?? this.#model.current(this.key)
    if (!life) return
    if (!this.life) this.#meet(life)
    if (message.texts) for (const text of message.texts) this.#takeEvent(life, text)
    else this.#applyOperations(life, message.operations ?? [])
    if (this.kind === 'events' && this.cursor !== seq)
      fail(this.#ground, 3, `${this.name} was brought to ${this.cursor}, and told ${seq}`)
    this.cursor = seq
    this.#assertEqual(life)
  }

  /** A client that missed a change may be unable to apply the next one. */
  #applyOperations(life: SessionHistory, operations: readonly DeltaOperation[]): void {
    try {
      this.conversation = applyToState(this.conversation as HarnessState, operations)
    } catch (error) {
      if (!(error instanceof DeltaError)) throw error
      fail(this.#ground, 3, `${this.name} sees another conversation of ${life.name}: ${error.message}`)
    }
  }

  /** The session that the client waited for has its first event. */
  #meet(life: SessionHistory): void {
    this.life = life
    this.cursor = Math.max(this.cursor, life.root.base)
  }

  #takeEvent(life: SessionHistory, text: string): void {
    const event = JSON.parse(text) as AnyEvent
    if (event.seq !== this.cursor + 1)
      fail(this.#ground, 3, `${this.name} of ${life.name} got ${event.seq} after ${this.cursor}`)
    if (life.textAt(event.seq) !== text)
      fail(this.#ground, 2, `${this.name} read ${text}, and the log says ${life.textAt(event.seq)}`)
    this.cursor = event.seq
    if (this.conversation && !event.hearsay)
      this.conversation = applyToState(this.conversation, conversationOperations(this.conversation, event))
  }

  #assertEqual(life: SessionHistory): void {
    if (!this.conversation || !this.#ground.prng.chance(0.1)) return
    this.assertEqual(life)
  }

  assertEqual(life: SessionHistory): void {
    if (
      this.conversation &&
      !isDeepStrictEqual(plain(this.conversation), plain(life.stateAt(this.cursor)?.conversation ?? null))
    )
      fail(
        this.#ground,
        14,
        `${this.name} of ${life.name} at ${this.cursor} sees another conversation than the log tells`,
      )
  }
}

interface StreamMessage {
  readonly texts?: readonly string[]
  readonly operations?: readonly DeltaOperation[]
}

const texts = ({ events }: CommittedChange): string =>
  JSON.stringify({ texts: events.map((event) => JSON.stringify(event)) })

const audiences: { readonly [K in StreamKind]: Audience } = {
  events: { key: 'events', encode: texts },
  operations: {
    key: 'operations',
    encode: (change) => {
      const { operations } = change
      return operations ? JSON.stringify({ operations }) : texts(change)
    },
  },
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
