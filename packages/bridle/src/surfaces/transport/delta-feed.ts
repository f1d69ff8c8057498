// What a session's watchers are told: each change once, as operations on the state they have. The last few are kept, so
// that a client that was cut resumes a short gap without the whole state.
import type { DeltaOperation } from '../../kernel/delta.ts'
import type { Clock } from '../../kernel/ports/store.ts'
import type { HarnessState } from '../../kernel/projections/conversation/harness-state.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Audience, CommittedChange, Listener } from '../../kernel/session/subscribers.ts'
import { encodeDelta } from './codec.ts'

/** Deltas kept for resuming, by number and by size. */
const KEPT_MAX = 500
const KEPT_CHARS_MAX = 1_000_000
/** How long a story goes on being kept when nobody watches: a client that was cut is back by then. */
const KEEP_MS = 30_000

/** A message, and the number that it brings a watcher to. */
interface FeedMessage {
  readonly seq: number
  readonly messages: readonly [string]
}

interface FeedDelta extends FeedMessage {
  readonly prev: number
}

const deltaFeeds = new WeakMap<Session, DeltaFeed>()

/**
 * The one story of a session: all its watchers share the encoding and the numbers. `last` is what they have, where they
 * had it before this story began.
 */
export const deltaFeedOf = (session: Session, clock: Clock, last: number | null = null): DeltaFeed => {
  const known = deltaFeeds.get(session)
  if (known?.isOpen) return known
  const story = new DeltaFeed(session, clock, last ?? session.state.head)
  deltaFeeds.set(session, story)
  return story
}

export class DeltaFeed {
  readonly #session: Session
  readonly #clock: Clock
  readonly #audience: Audience
  readonly #deltas: FeedDelta[] = []
  #deltaChars = 0
  /** The seq that a watcher has now. */
  #lastSeq: number
  #snapshot: (FeedMessage & { readonly of: HarnessState }) | null = null
  /** A watcher of its own, so that no change goes untold while clients come and go. */
  readonly #ownListener: Listener
  readonly #listeners = new Set<FeedListener>()
  #isOpen = true
  #cancelExpiry = () => {}

  constructor(session: Session, clock: Clock, lastSeq: number) {
    this.#session = session
    this.#clock = clock
    this.#lastSeq = lastSeq
    this.#audience = { key: 'transport', encode: (change) => this.#encode(change) }
    this.#ownListener = { audience: this.#audience, send: () => {}, unsent: () => 0, close: () => this.#end() }
    session.subscribers.add(this.#ownListener, session.state.head)
  }

  /** What a watcher has now. */
  get last(): number {
    return this.#lastSeq
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** What brings a client up to date, and from then on everything live. Both in one step, so nothing falls between. */
  subscribe(after: number | null, watcher: FeedSink, isThere = false): FeedListener {
    this.#cancelExpiry()
    let allowed = 0
    for (const { messages, seq } of isThere && after === this.#lastSeq ? [] : this.#since(after)) {
      allowed += messages[0].length
      watcher.send(messages, seq)
    }
    const seat = new FeedListener(this, this.#audience, watcher, allowed)
    this.#listeners.add(seat)
    this.#session.subscribers.add(seat, this.#session.state.head)
    return seat
  }

  unsubscribe(seat: FeedListener): void {
    if (!this.#listeners.delete(seat)) return
    this.#session.subscribers.remove(seat)
    if (this.#listeners.size === 0) this.#cancelExpiry = this.#clock.after(KEEP_MS, () => this.#end())
  }

  #since(after: number | null): readonly FeedMessage[] {
    if (after !== null && !this.#session.canResumeFrom({ seq: after, incarnation: this.#session.incarnations.own }))
      return [this.#state()]
    if (after === this.#lastSeq) {
      return [{ seq: after, messages: [encodeDelta(none, after, after)] }]
    }
    const from = after === null ? -1 : this.#deltas.findIndex(({ prev }) => prev === after)
    return from < 0 ? [this.#state()] : this.#deltas.slice(from)
  }

  #state(): FeedMessage {
    this.#catchUpNumber()
    const { conversation } = this.#session.state
    if (this.#snapshot?.of !== conversation || this.#snapshot.seq !== this.#lastSeq) {
      const { own } = this.#session.incarnations
      const incarnation = own === 1 ? {} : { incarnation: own }
      const text = JSON.stringify({ type: 'state', state: conversation, seq: this.#lastSeq, ...incarnation })
      this.#snapshot = { of: conversation, seq: this.#lastSeq, messages: [text] }
    }
    return this.#snapshot
  }

  /**
   * Events that change nothing here still have numbers, and a snapshot must have the log's. The other watchers get that number
   * by a delta without operations, since the next delta starts from it for all. Only a new snapshot costs this, no event does.
   */
  #catchUpNumber(): void {
    const seq = this.#session.state.head
    if (seq === this.#lastSeq) return
    const text = encodeDelta(none, seq, this.#lastSeq)
    this.#remember({ prev: this.#lastSeq, seq, messages: [text] })
    this.#lastSeq = seq
    for (const seat of [...this.#listeners]) seat.send(text, seq)
  }

  #encode({ events, operations = none }: CommittedChange): string {
    const seq = events.at(-1)?.seq
    if (operations.length === 0 || seq === undefined) return ''
    const text = encodeDelta(operations, seq, this.#lastSeq)
    this.#remember({ prev: this.#lastSeq, seq, messages: [text] })
    this.#lastSeq = seq
    return text
  }

  #remember(delta: FeedDelta): void {
    this.#deltas.push(delta)
    this.#deltaChars += delta.messages[0].length
    while (this.#deltas.length > KEPT_MAX || (this.#deltaChars > KEPT_CHARS_MAX && this.#deltas.length > 1)) {
      this.#deltaChars -= this.#deltas.shift()?.messages[0].length ?? 0
    }
  }

  /** One array for all who get this text, so that it is framed once. */
  sharedMessages(text: string): readonly string[] {
    const latest = this.#deltas.at(-1)?.messages
    return latest?.[0] === text ? latest : [text]
  }

  #end(): void {
    this.#isOpen = false
    this.#session.subscribers.remove(this.#ownListener)
    this.#cancelExpiry()
  }
}

/** A watcher's place: one for each, and there may be thousands, so it costs no closures. */
export class FeedListener implements Listener {
  readonly audience: Audience
  readonly #feed: DeltaFeed
  readonly #sink: FeedSink
  /** A state may be larger than a slow reader's whole allowance: only what comes on top of it counts. */
  readonly #allowedChars: number

  constructor(story: DeltaFeed, audience: Audience, watcher: FeedSink, allowed: number) {
    this.audience = audience
    this.#feed = story
    this.#sink = watcher
    this.#allowedChars = allowed
  }

  send(text: string, seq: number): void {
    this.#sink.send(this.#feed.sharedMessages(text), seq)
  }

  unsent(): number {
    return Math.max(0, this.#sink.unsent() - this.#allowedChars)
  }

  close(why: 'slow' | 'moved' | 'removed'): void {
    this.#sink.close(why)
  }

  unsubscribe(): void {
    this.#feed.unsubscribe(this)
  }
}

export interface FeedSink {
  send(messages: readonly string[], seq: number): void
  unsent(): number
  close(why: 'slow' | 'moved' | 'removed'): void
}

const none: readonly DeltaOperation[] = []
