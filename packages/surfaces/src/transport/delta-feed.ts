// Encodes each change once for all clients. Keeps the latest deltas, so that clients can resume without the whole state.
import type { DeltaOperation } from '@bridle/kernel/delta'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { Session } from '@bridle/kernel/session/session'
import type { Audience, CommittedChange, Listener } from '@bridle/kernel/session/subscribers'
import { encodeDelta } from './codec.ts'
import { stateEncoderOf } from './state-encoding.ts'

/** Some seconds of a fast reply. A client further behind gets the state. */
const DELTAS_MAX = 500
/** Bounds memory for clients that may not return: tool results can be large. */
const DELTA_CHARS_MAX = 1_000_000
/** After the last client left. A broken connection is back by then. */
const FEED_KEEP_MS = 30_000

/** `seq` is the position that the message brings a client to. */
export interface FeedMessage {
  readonly seq: number
  /** The same array for every client, so that a target frames its text once. */
  readonly messages: readonly [string]
}

interface FeedDelta extends FeedMessage {
  readonly prev: number
}

const deltaFeeds = new WeakMap<Session, DeltaFeed>()

/** Shared by all clients of a session. A hibernated socket passes its own position as the start of a new feed. */
export const deltaFeedOf = (session: Session, clock: Clock, lastSeq: number | null = null): DeltaFeed => {
  const current = deltaFeeds.get(session)
  if (current?.isOpen) return current
  const feed = new DeltaFeed(session, clock, lastSeq ?? session.state.head)
  deltaFeeds.set(session, feed)
  return feed
}

export class DeltaFeed {
  readonly audience: Audience
  readonly #session: Session
  readonly #clock: Clock
  readonly #deltas: FeedDelta[] = []
  #deltaChars = 0
  #lastSeq: number
  #snapshot: (FeedMessage & { readonly of: HarnessState }) | null = null
  /** Stays subscribed while no client is connected, so that no delta is missing on resume. */
  readonly #ownListener: Listener
  readonly #listeners = new Set<Listener>()
  #isOpen = true
  #cancelExpiry = () => {}

  constructor(session: Session, clock: Clock, lastSeq: number) {
    this.#session = session
    this.#clock = clock
    this.#lastSeq = lastSeq
    this.audience = { key: 'transport', encode: (change) => this.#encode(change) }
    this.#ownListener = { audience: this.audience, send: () => {}, unsent: () => 0, close: () => this.#end() }
    session.subscribers.add(this.#ownListener, session.state.head)
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Subscribe in the same synchronous step, so that nothing comes in between. */
  messagesSince(after: number | null): readonly FeedMessage[] {
    if (after !== null && !this.#session.canResumeFrom({ seq: after, incarnation: this.#session.incarnations.own }))
      return [this.#state()]
    if (after === this.#lastSeq) return [{ seq: after, messages: [encodeDelta(none, after, after)] }]
    const from = after === null ? -1 : this.#deltas.findIndex(({ prev }) => prev === after)
    return from < 0 ? [this.#state()] : this.#deltas.slice(from)
  }

  subscribe(listener: Listener): void {
    this.#cancelExpiry()
    this.#listeners.add(listener)
    this.#session.subscribers.add(listener, this.#session.state.head)
  }

  unsubscribe(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return
    this.#session.subscribers.remove(listener)
    if (this.#isOpen && this.#listeners.size === 0)
      this.#cancelExpiry = this.#clock.after(FEED_KEEP_MS, () => this.#end())
  }

  messagesOf(text: string): readonly string[] {
    const latest = this.#deltas.at(-1)?.messages
    return latest?.[0] === text ? latest : [text]
  }

  #state(): FeedMessage {
    this.#catchUpNumber()
    const { conversation } = this.#session.state
    if (this.#snapshot?.of !== conversation || this.#snapshot.seq !== this.#lastSeq) {
      const text = stateEncoderOf(this.#session).encode(conversation, this.#lastSeq, this.#session.incarnations.own)
      this.#snapshot = { of: conversation, seq: this.#lastSeq, messages: [text] }
    }
    return this.#snapshot
  }

  /** A snapshot carries the log's head, so other clients get an empty delta with it: the next delta starts there for all. */
  #catchUpNumber(): void {
    const seq = this.#session.state.head
    if (seq === this.#lastSeq) return
    const text = this.#remember(none, seq)
    for (const listener of [...this.#listeners]) listener.send(text, seq)
  }

  #encode({ events, operations = none }: CommittedChange): string {
    const seq = events.at(-1)?.seq
    return operations.length === 0 || seq === undefined ? '' : this.#remember(operations, seq)
  }

  #remember(operations: readonly DeltaOperation[], seq: number): string {
    const prev = this.#lastSeq
    const text = encodeDelta(operations, seq, prev)
    this.#lastSeq = seq
    this.#deltas.push({ prev, seq, messages: [text] })
    this.#deltaChars += text.length
    while (this.#deltas.length > DELTAS_MAX || (this.#deltaChars > DELTA_CHARS_MAX && this.#deltas.length > 1)) {
      this.#deltaChars -= this.#deltas.shift()?.messages[0].length ?? 0
    }
    return text
  }

  #end(): void {
    this.#isOpen = false
    stateEncoderOf(this.#session).forget()
    this.#session.subscribers.remove(this.#ownListener)
    this.#cancelExpiry()
  }
}

const none: readonly DeltaOperation[] = []
