// A reader whose unread bytes are bounded. A reader that falls behind misses changes, and gets `ready` when it has caught up.
import type { ChangeReader } from '../http/streams/change-readers.ts'
import { READY_MESSAGES } from './change-messages.ts'

/** Unread bytes of a reader, after which it gets no more changes but a new `ready`: some hundred rows. */
export const UNREAD_BYTES_MAX = 512 * 1024

/** The reader's end of a connection. */
export interface ChangeSink {
  send(messages: readonly string[]): void
  /** Bytes that are sent and not read yet. */
  buffered(): number
  /** Resolves when the reader can take more, or is gone. */
  drained(): Promise<void>
  /** Asks the reader to come back. */
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

  /** Misses the changes of now: a list that is loaded later has them. */
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

  /** The connection is gone: nothing more is sent. */
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
