// The platform does not report unsent bytes, so clients that support marks are asked how far they have read. Others are never
// cut off.
import type { Clock } from '@bridle/kernel/ports/clock'
import { MarkTracker } from '@bridle/surfaces/http/streams/marks'
import type { Socket } from '@bridle/surfaces/http/streams/socket-route'
import type { PlatformSocket } from '../platform/platform.ts'

/** Replay until this much is in flight: one page being sent, and one behind it. */
const REPLAY_CHARS = 256 * 1024
/** A slow reader's deadline. Short enough for a timer, without which the object would be evicted while waiting. */
export const REPLAY_WAIT_MS = 8_000

export class ObjectSocket implements Socket {
  readonly #socket: PlatformSocket
  readonly #marks: MarkTracker | null
  readonly #clock: Clock
  readonly #slow: () => void
  #isOpen = true
  #progressed = () => {}

  /** `slow` is called if a reader makes no progress while a replay waits for it. */
  constructor(socket: PlatformSocket, knowsMarks: boolean, clock: Clock, slow: () => void) {
    this.#socket = socket
    this.#marks = knowsMarks ? new MarkTracker() : null
    this.#clock = clock
    this.#slow = slow
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  send(messages: readonly string[], seq?: number): void {
    for (const message of messages) this.#socket.send(message)
    const mark = this.#marks?.countSent(messages, seq)
    if (mark) this.#socket.send(mark)
  }

  sendBinary(bytes: Uint8Array): void {
    if (this.#isOpen) this.#socket.send(bytes)
  }

  close(code: number, reason: string): void {
    this.markClosed()
    // After waking up, a closed socket looks open until the peer has read the close frame.
    this.#socket.serializeAttachment(null)
    this.#socket.close(code, reason)
  }

  buffered(): number {
    return this.#isOpen ? (this.#marks?.unacknowledged ?? 0) : 0
  }

  async drained(): Promise<void> {
    while (this.buffered() > REPLAY_CHARS) await this.#waitForProgress()
  }

  acknowledge(seq: number): void {
    if (this.#marks?.acknowledge(seq)) this.#progressed()
  }

  /** The peer is gone, so no replay should wait for it. */
  markClosed(): void {
    this.#isOpen = false
    this.#progressed()
  }

  #waitForProgress(): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.#clock.after(REPLAY_WAIT_MS, this.#slow)
      this.#progressed = () => {
        forget()
        resolve()
      }
    })
  }
}
