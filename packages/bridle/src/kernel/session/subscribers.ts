// Who is watching. A listener catches up from its cursor by reading the log, then joins the live ones; each audience
// is encoded once per change, and all its listeners get the same text.

import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import { LISTENER_BYTES_MAX, READ_PAGE } from '../limits.ts'
import { type EncodedPage, EncodedPageCache } from './encoded-page-cache.ts'
import type { ReadScheduler } from './read-scheduler.ts'

/** Committed events; live ones come with the operations on the conversation that they were folded by. */
export interface CommittedChange {
  readonly events: readonly AnyEvent[]
  /** Absent where the events were read from the log. */
  readonly operations?: readonly DeltaOperation[]
}

/** What a kind of client sees. Equal keys must encode equally: a text is made once and sent to all who have the key. */
export interface Audience {
  readonly key: string
  /** The text of a change; empty = nothing of it is for this audience. */
  encode(change: CommittedChange): string
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

interface AudienceGroup {
  readonly audience: Audience
  readonly listeners: Set<Listener>
}

export class Subscribers {
  readonly #read: (after: number, limit: number) => Promise<AnyEvent[]>
  readonly #head: () => number
  readonly #readScheduler: ReadScheduler | null
  readonly #pages = new EncodedPageCache()
  readonly #groups = new Map<string, AudienceGroup>()
  readonly #catchingUp = new Set<Listener>()
  #closed: 'moved' | 'removed' | null = null

  /** Without `turns` nobody else shares the thread, as in tests. */
  constructor(
    read: (after: number, limit: number) => Promise<AnyEvent[]>,
    head: () => number,
    turns: ReadScheduler | null = null,
  ) {
    this.#read = read
    this.#head = head
    this.#readScheduler = turns
  }

  get size(): number {
    let size = this.#catchingUp.size
    for (const { listeners } of this.#groups.values()) size += listeners.size
    return size
  }

  /** Everything after `since`, once and in order, first from the log and then live. */
  add(listener: Listener, since: number): void {
    if (this.#closed) return listener.close(this.#closed)
    this.#catchingUp.add(listener)
    this.#catchUp(listener, since).catch(() => this.#disconnect(listener, 'moved'))
  }

  /** It hears no more. False when it was not here. */
  remove(listener: Listener): boolean {
    if (this.#catchingUp.delete(listener)) return true
    const room = this.#groups.get(listener.audience.key)
    if (!room?.listeners.delete(listener)) return false
    if (room.listeners.size === 0) this.#groups.delete(listener.audience.key)
    return true
  }

  publish(change: CommittedChange): void {
    const seq = change.events.at(-1)?.seq
    if (seq === undefined) return
    for (const { audience, listeners } of this.#groups.values()) {
      const text = encodeOrNull(audience, change)
      // What one audience cannot say must not keep others from hearing it, nor the caller from its answer.
      if (text === null) for (const listener of [...listeners]) this.#disconnect(listener, 'moved')
      else if (text !== '') for (const listener of listeners) this.#send(listener, text, seq)
    }
  }

  close(why: 'moved' | 'removed'): void {
    this.#closed = why
    for (const listener of [...this.#catchingUp]) this.#disconnect(listener, why)
    for (const { listeners } of [...this.#groups.values()])
      for (const listener of [...listeners]) this.#disconnect(listener, why)
  }

  /** Sends what the log has after `since` up to `last`, and nothing live. False when the listener was removed or cut. */
  async replay(listener: Listener, since: number, last: number): Promise<boolean> {
    if (this.#closed) listener.close(this.#closed)
    else this.#catchingUp.add(listener)
    try {
      for (let seen = since; seen < last && this.#catchingUp.has(listener); )
        seen = await this.#step(listener, seen, last)
    } catch {
      this.#disconnect(listener, 'moved')
    }
    return this.#leaveCatchUp(listener)
  }

  async #catchUp(listener: Listener, since: number): Promise<void> {
    let seen = since
    // Reaching the head and joining happen in one step, so nothing can fall between them.
    while (seen < this.#head() && this.#catchingUp.has(listener)) seen = await this.#step(listener, seen, this.#head())
    if (!this.#leaveCatchUp(listener)) return
    const { audience } = listener
    const room = this.#groups.get(audience.key) ?? { audience, listeners: new Set() }
    this.#groups.set(audience.key, room)
    room.listeners.add(listener)
  }

  /** Sends the next page, waits until the listener can take more, and returns how far it is. */
  async #step(listener: Listener, seen: number, last: number): Promise<number> {
    const send = async () => {
      const known = this.#pages.get(listener.audience.key, seen)
      const page = known && known.last <= last ? known : await this.#encodePage(listener.audience, seen, last)
      if (page.text !== '' && this.#catchingUp.has(listener)) this.#send(listener, page.text, page.last)
      return page.last
    }
    const reached = await (this.#readScheduler ? this.#readScheduler.schedule(send) : send())
    if (this.#catchingUp.has(listener)) await listener.ready?.()
    return reached
  }

  async #encodePage(audience: Audience, after: number, last: number): Promise<EncodedPage> {
    // The log may be ahead of what is published; that will come, and must not be sent twice.
    const events = (await this.#read(after, Math.min(READ_PAGE, last - after))).filter(({ seq }) => seq <= last)
    const end = events.at(-1)?.seq
    if (end === undefined) throw new Error('The log ends before its head.')
    const page = { text: audience.encode({ events }), last: end }
    // The last page grows with the log.
    if (end < last) this.#pages.set(audience.key, after, page)
    return page
  }

  #leaveCatchUp(listener: Listener): boolean {
    const wasHere = this.#catchingUp.delete(listener)
    if (this.#catchingUp.size === 0) this.#pages.clear()
    return wasHere
  }

  #send(listener: Listener, text: string, seq: number): void {
    if (listener.unsent() > LISTENER_BYTES_MAX) return this.#disconnect(listener, 'slow')
    try {
      listener.send(text, seq)
    } catch {
      this.#disconnect(listener, 'moved')
    }
  }

  #disconnect(listener: Listener, why: 'slow' | 'moved' | 'removed'): void {
    if (this.remove(listener)) listener.close(why)
  }
}

const encodeOrNull = (audience: Audience, change: CommittedChange): string | null => {
  try {
    return audience.encode(change)
  } catch {
    return null
  }
}
