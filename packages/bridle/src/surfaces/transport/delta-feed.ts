// What a session's watchers are told: each change once, as operations on the state they have. The last few are kept, so
// that a client that was cut resumes a short gap without the whole state.
import { appendText, type DeltaOperation } from '../../kernel/delta.ts'
import type { Clock } from '../../kernel/ports/store.ts'
import { operations } from '../../kernel/projections/conversation/conversation.ts'
import type { HarnessState } from '../../kernel/projections/conversation/harness-state.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Audience, Change, Listener } from '../../kernel/session/subscribers.ts'
import { applyToState } from '../../kernel/state-operations.ts'

/** Deltas kept for resuming, by number and by size. */
const KEPT_MAX = 500
const KEPT_CHARS_MAX = 1_000_000
/** How long a story goes on being kept when nobody watches: a client that was cut is back by then. */
const KEEP_MS = 30_000

/** A message, and the number that it brings a watcher to. */
interface Told {
  readonly seq: number
  readonly messages: readonly [string]
}

interface Delta extends Told {
  readonly prev: number
}

const stories = new WeakMap<Session, Story>()

/**
 * The one story of a session: all its watchers share the encoding and the numbers. `last` is what they have, where they
 * had it before this story began.
 */
export const storyOf = (session: Session, clock: Clock, last: number | null = null): Story => {
  const known = stories.get(session)
  if (known?.isKept) return known
  const story = new Story(session, clock, last ?? session.state.head)
  stories.set(session, story)
  return story
}

export class Story {
  readonly #session: Session
  readonly #clock: Clock
  readonly #audience: Audience
  readonly #kept: Delta[] = []
  #keptChars = 0
  /** The seq that a watcher has now. */
  #last: number
  #snapshot: (Told & { readonly of: HarnessState }) | null = null
  /** A watcher of its own, so that no change goes untold while clients come and go. */
  readonly #keeper: Listener
  readonly #seats = new Set<Seat>()
  #isKept = true
  #forget = () => {}

  constructor(session: Session, clock: Clock, last: number) {
    this.#session = session
    this.#clock = clock
    this.#last = last
    this.#audience = { key: 'transport', encode: (change) => this.#encode(change) }
    this.#keeper = { audience: this.#audience, send: () => {}, unsent: () => 0, close: () => this.#end() }
    session.subscribers.add(this.#keeper, session.state.head)
  }

  /** What a watcher has now. */
  get last(): number {
    return this.#last
  }

  get isKept(): boolean {
    return this.#isKept
  }

  /** What brings a client up to date, and from then on everything live. Both in one step, so nothing falls between. */
  join(after: number | null, watcher: Watcher, isThere = false): Seat {
    this.#forget()
    let allowed = 0
    for (const { messages, seq } of isThere && after === this.#last ? [] : this.#since(after)) {
      allowed += messages[0].length
      watcher.send(messages, seq)
    }
    const seat = new Seat(this, this.#audience, watcher, allowed)
    this.#seats.add(seat)
    this.#session.subscribers.add(seat, this.#session.state.head)
    return seat
  }

  leave(seat: Seat): void {
    if (!this.#seats.delete(seat)) return
    this.#session.subscribers.remove(seat)
    if (this.#seats.size === 0) this.#forget = this.#clock.after(KEEP_MS, () => this.#end())
  }

  #since(after: number | null): readonly Told[] {
    if (after !== null && !this.#session.knows({ seq: after, incarnation: this.#session.logs.own }))
      return [this.#state()]
    if (after === this.#last) {
      const nothing = JSON.stringify({ type: 'delta', operations: [], seq: after, prev: after })
      return [{ seq: after, messages: [nothing] }]
    }
    const from = after === null ? -1 : this.#kept.findIndex(({ prev }) => prev === after)
    return from < 0 ? [this.#state()] : this.#kept.slice(from)
  }

  #state(): Told {
    this.#catchUpNumber()
    const { conversation } = this.#session.state
    if (this.#snapshot?.of !== conversation || this.#snapshot.seq !== this.#last) {
      const { own } = this.#session.logs
      const incarnation = own === 1 ? {} : { incarnation: own }
      const text = JSON.stringify({ type: 'state', state: conversation, seq: this.#last, ...incarnation })
      this.#snapshot = { of: conversation, seq: this.#last, messages: [text] }
    }
    return this.#snapshot
  }

  /**
   * Events that change nothing here still have numbers, and a snapshot must have the log's. The other watchers get that number
   * by a delta without operations, since the next delta starts from it for all. Only a new snapshot costs this, no event does.
   */
  #catchUpNumber(): void {
    const seq = this.#session.state.head
    if (seq === this.#last) return
    const text = JSON.stringify({ type: 'delta', operations: [], seq, prev: this.#last })
    this.#keep({ prev: this.#last, seq, messages: [text] })
    this.#last = seq
    for (const seat of [...this.#seats]) seat.send(text, seq)
  }

  #encode({ events, before }: Change): string {
    const seq = events.at(-1)?.seq
    if (!before || seq === undefined) return ''
    const changed: DeltaOperation[] = []
    let state = before.conversation
    for (const event of events) {
      const made = operations(state, event)
      if (made.length === 0) continue
      state = applyToState(state, made)
      for (const operation of made) push(changed, operation)
    }
    if (changed.length === 0) return ''
    const text = JSON.stringify({ type: 'delta', operations: changed, seq, prev: this.#last })
    this.#keep({ prev: this.#last, seq, messages: [text] })
    this.#last = seq
    return text
  }

  #keep(delta: Delta): void {
    this.#kept.push(delta)
    this.#keptChars += delta.messages[0].length
    while (this.#kept.length > KEPT_MAX || (this.#keptChars > KEPT_CHARS_MAX && this.#kept.length > 1)) {
      this.#keptChars -= this.#kept.shift()?.messages[0].length ?? 0
    }
  }

  /** One array for all who get this text, so that it is framed once. */
  shared(text: string): readonly string[] {
    const latest = this.#kept.at(-1)?.messages
    return latest?.[0] === text ? latest : [text]
  }

  #end(): void {
    this.#isKept = false
    this.#session.subscribers.remove(this.#keeper)
    this.#forget()
  }
}

/** A watcher's place: one for each, and there may be thousands, so it costs no closures. */
export class Seat implements Listener {
  readonly audience: Audience
  readonly #story: Story
  readonly #watcher: Watcher
  /** A state may be larger than a slow reader's whole allowance: only what comes on top of it counts. */
  readonly #allowed: number

  constructor(story: Story, audience: Audience, watcher: Watcher, allowed: number) {
    this.audience = audience
    this.#story = story
    this.#watcher = watcher
    this.#allowed = allowed
  }

  send(text: string, seq: number): void {
    this.#watcher.send(this.#story.shared(text), seq)
  }

  unsent(): number {
    return Math.max(0, this.#watcher.unsent() - this.#allowed)
  }

  close(why: 'slow' | 'moved' | 'removed'): void {
    this.#watcher.close(why)
  }

  leave(): void {
    this.#story.leave(this)
  }
}

export interface Watcher {
  send(messages: readonly string[], seq: number): void
  unsent(): number
  close(why: 'slow' | 'moved' | 'removed'): void
}

/** Text on text of the same place is one operation: under load a delta holds one per message. */
const push = (changed: DeltaOperation[], operation: DeltaOperation): void => {
  const last = changed.at(-1)
  const merges = operation.type === 'append-text' && last?.type === 'append-text' && samePath(operation.path, last.path)
  if (merges) changed[changed.length - 1] = appendText(last.path, last.value + operation.value)
  else changed.push(operation)
}

const samePath = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, index) => part === b[index])
