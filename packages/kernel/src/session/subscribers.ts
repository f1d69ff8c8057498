// A listener catches up from its cursor by reading the log, then joins the live ones. Changes are encoded once per audience.

import { LISTENER_BYTES_MAX, READ_PAGE } from '@bridle/events/limits'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import { type EncodedPage, EncodedPageCache } from './reading/encoded-page-cache.ts'
import type { ReadScheduler } from './reading/read-scheduler.ts'

/** Live events come with the operations that their fold applied to the conversation. */
export interface CommittedChange {
  readonly events: readonly AnyEvent[]
  readonly operations?: readonly DeltaOperation[]
}

/** A kind of client. Listeners with equal keys share one encoded text. */
export interface Audience {
  readonly key: string
  /** Empty if nothing in the change is for this audience. */
  encode(change: CommittedChange): string
}

export interface Listener {
  readonly audience: Audience
  /** `seq`: the position after this text. */
  send(text: string, seq: number): void
  /** Bytes or characters not yet taken by the other side. */
  unsent(): number
  /** Backpressure during catch-up: a slow reader delays it instead of being closed. */
  ready?(): Promise<void>
  /** After `slow` and `moved`, the client may reconnect with its cursor. */
  close(why: 'slow' | 'moved' | 'removed'): void
}

export class Subscribers {
  readonly #read: (after: number, limit: number) => Promise<AnyEvent[]>
  readonly #head: () => number
  readonly #readScheduler: ReadScheduler | null
  readonly #pages = new EncodedPageCache()
  readonly #groups = new Map<string, { readonly audience: Audience; readonly listeners: Set<Listener> }>()
  readonly #catchingUp = new Set<Listener>()
  #closed: 'moved' | 'removed' | null = null

  /** Tests omit the scheduler. */
  constructor(
    read: (after: number, limit: number) => Promise<AnyEvent[]>,
    head: () => number,
    readScheduler: ReadScheduler | null = null,
  ) {
    this.#read = read
    this.#head = head
    this.#readScheduler = readScheduler
  }

  get size(): number {
    let size = this.#catchingUp.size
    for (const { listeners } of this.#groups.values()) size += listeners.size
    return size
  }

  /** Sends everything after `since` exactly once and in order: first from the log, then live. */
  add(listener: Listener, since: number): void {
    if (this.#closed) return listener.close(this.#closed)
    this.#catchingUp.add(listener)
    this.#catchUp(listener, since).catch(() => this.#disconnect(listener, 'moved'))
  }

  /** False if it was not subscribed. */
  remove(listener: Listener): boolean {
    if (this.#catchingUp.delete(listener)) return true
    const group = this.#groups.get(listener.audience.key)
    if (!group?.listeners.delete(listener)) return false
    if (group.listeners.size === 0) this.#groups.delete(listener.audience.key)
    return true
  }

  publish(change: CommittedChange): void {
    const seq = change.events.at(-1)?.seq
    if (seq === undefined) return
    for (const { audience, listeners } of this.#groups.values()) {
      const text = encodeOrNull(audience, change)
      // A failing audience must affect neither the others nor the caller.
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

  /** Sends logged events after `since` up to `last`, but nothing live. False if the listener was removed or closed. */
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
    // Reaching the head and joining happen synchronously, so no event is missed.
    while (seen < this.#head() && this.#catchingUp.has(listener)) seen = await this.#step(listener, seen, this.#head())
    if (!this.#leaveCatchUp(listener)) return
    const { audience } = listener
    const group = this.#groups.get(audience.key) ?? { audience, listeners: new Set() }
    this.#groups.set(audience.key, group)
    group.listeners.add(listener)
  }

  /** Sends the next page, waits for backpressure, and returns the new position. */
  async #step(listener: Listener, seen: number, last: number): Promise<number> {
    const send = async () => {
      const cached = this.#pages.get(listener.audience.key, seen)
      const page = cached && cached.last <= last ? cached : await this.#encodePage(listener.audience, seen, last)
      if (page.text !== '' && this.#catchingUp.has(listener)) this.#send(listener, page.text, page.last)
      return page.last
    }
    const reached = await (this.#readScheduler ? this.#readScheduler.schedule(send) : send())
    if (this.#catchingUp.has(listener)) await listener.ready?.()
    return reached
  }

  async #encodePage(audience: Audience, after: number, last: number): Promise<EncodedPage> {
    // Events beyond `last` will be published live and must not be sent twice.
    const events = (await this.#read(after, Math.min(READ_PAGE, last - after))).filter(({ seq }) => seq <= last)
    const end = events.at(-1)?.seq
    if (end === undefined) throw new Error('The log ends before its head.')
    const page = { text: audience.encode({ events }), last: end }
    // The last page still grows.
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
