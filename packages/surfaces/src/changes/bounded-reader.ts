// Bounds the unread bytes of a reader. A reader that falls behind misses changes, and gets `ready` once it has caught up.
import type { ChangeReader } from '../http/streams/change-readers.ts'
import { READY_MESSAGES } from './change-messages.ts'

/** A few hundred rows. Beyond it, a reader gets a new `ready` instead of changes. */
export const UNREAD_BYTES_MAX = 512 * 1024

export interface ChangeSink {
  send(messages: readonly string[]): void
  buffered(): number
  drained(): Promise<void>
  /** Asks the reader to reconnect. */
  close(): void
}

export class BoundedReader implements ChangeReader {
  readonly viewer: string | null
  readonly #sink: ChangeSink
  #isBehind = false
  #isOpen = true

  constructor(viewer: string | null, sink: ChangeSink) {
    this.viewer = viewer
    this.#sink = sink
  }

  /** True while changes are dropped; a list loaded later contains them. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  send(messages: readonly string[]): void {
    if (!this.#isOpen || this.#isBehind) return
    if (this.#sink.buffered() > UNREAD_BYTES_MAX) void this.#catchUp()
    else this.#sink.send(messages)
  }

  close(): void {
    this.stop()
    this.#sink.close()
  }

  stop(): void {
    this.#isOpen = false
  }

  async #catchUp(): Promise<void> {
    this.#isBehind = true
    await this.#sink.drained()
    this.#isBehind = false
    if (this.#isOpen) this.#sink.send(READY_MESSAGES)
  }
}
