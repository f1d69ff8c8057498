// Who is watching. A listener catches up from its cursor by reading the log, then joins the live ones; each audience
// is encoded once per change, and all its listeners get the same text.
import type { AnyEvent } from './event.ts'
import { LISTENER_BYTES_MAX, READ_PAGE } from './limits.ts'
import type { SessionState } from './state.ts'

/** Committed events, with the state before them when they are live. */
export interface Change {
  readonly events: readonly AnyEvent[]
  readonly before?: SessionState
}

/** What a kind of client sees. Equal keys must encode equally. */
export interface Audience {
  readonly key: string
  /** The text of a change; empty = nothing of it is for this audience. */
  encode(change: Change): string
}

export interface Listener {
  readonly audience: Audience
  /** Text, and the sequence number it brings the listener to. */
  send(text: string, seq: number): void
  /** Bytes, or characters, sent but not yet taken by the other side. */
  unsent(): number
  /** Resolves when it can take more: a long catch-up waits for its reader instead of cutting it. */
  ready?(): Promise<void>
  /** The end: `slow` and `moved` mean "come back with your cursor". */
  close(why: 'slow' | 'moved' | 'removed'): void
}

interface Room {
  readonly audience: Audience
  readonly listeners: Set<Listener>
}

export class Subscribers {
  readonly #read: (after: number, limit: number) => Promise<AnyEvent[]>
  readonly #head: () => number
  readonly #rooms = new Map<string, Room>()
  readonly #catchingUp = new Set<Listener>()
  #closed: 'moved' | 'removed' | null = null

  constructor(read: (after: number, limit: number) => Promise<AnyEvent[]>, head: () => number) {
    this.#read = read
    this.#head = head
  }

  get size(): number {
    let size = this.#catchingUp.size
    for (const { listeners } of this.#rooms.values()) size += listeners.size
    return size
  }

  /** Everything after `since`, once and in order, first from the log and then live. */
  add(listener: Listener, since: number): void {
    if (this.#closed) return listener.close(this.#closed)
    this.#catchingUp.add(listener)
    this.#catchUp(listener, since).catch(() => this.#cut(listener, 'moved'))
  }

  /** It hears no more. False when it was not here. */
  remove(listener: Listener): boolean {
    if (this.#catchingUp.delete(listener)) return true
    const room = this.#rooms.get(listener.audience.key)
    if (!room?.listeners.delete(listener)) return false
    if (room.listeners.size === 0) this.#rooms.delete(listener.audience.key)
    return true
  }

  publish(change: Change): void {
    const seq = change.events.at(-1)?.seq
    if (seq === undefined) return
    for (const { audience, listeners } of this.#rooms.values()) {
      const text = encoded(audience, change)
      // What one audience cannot say must not keep others from hearing it, nor the caller from its answer.
      if (text === null) for (const listener of [...listeners]) this.#cut(listener, 'moved')
      else if (text !== '') for (const listener of listeners) this.#send(listener, text, seq)
    }
  }

  close(why: 'moved' | 'removed'): void {
    this.#closed = why
    for (const listener of [...this.#catchingUp]) this.#cut(listener, why)
    for (const { listeners } of [...this.#rooms.values()])
      for (const listener of [...listeners]) this.#cut(listener, why)
  }

  async #catchUp(listener: Listener, since: number): Promise<void> {
    let seen = since
    // Reaching the head and joining happen in one step, so nothing can fall between them.
    while (seen < this.#head() && this.#catchingUp.has(listener)) {
      // The log may be ahead of what is published; that will come, and must not be sent twice.
      const head = this.#head()
      const page = await this.#read(seen, Math.min(READ_PAGE, head - seen))
      const events = page.filter(({ seq }) => seq <= head)
      const last = events.at(-1)
      if (!last || !this.#catchingUp.has(listener)) return this.#cut(listener, 'moved')
      const text = listener.audience.encode({ events })
      seen = last.seq
      if (text !== '') this.#send(listener, text, seen)
      await listener.ready?.()
    }
    if (!this.#catchingUp.delete(listener)) return
    const { audience } = listener
    const room = this.#rooms.get(audience.key) ?? { audience, listeners: new Set() }
    this.#rooms.set(audience.key, room)
    room.listeners.add(listener)
  }

  #send(listener: Listener, text: string, seq: number): void {
    if (listener.unsent() > LISTENER_BYTES_MAX) return this.#cut(listener, 'slow')
    try {
      listener.send(text, seq)
    } catch {
      this.#cut(listener, 'moved')
    }
  }

  #cut(listener: Listener, why: 'slow' | 'moved' | 'removed'): void {
    if (this.remove(listener)) listener.close(why)
  }
}

const encoded = (audience: Audience, change: Change): string | null => {
  try {
    return audience.encode(change)
  } catch {
    return null
  }
}
