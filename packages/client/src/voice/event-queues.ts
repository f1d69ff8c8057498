// Line events for `for await`. Each reader has its own queue.
import { FabricError } from '../http/error.ts'

/** Minutes of audio. A reader this far behind does not catch up. */
export const VOICE_EVENTS_MAX = 10_000

interface EventQueue<T> {
  readonly waiting: T[]
  wake: () => void
  isTooSlow: boolean
}

export class EventQueues<T> {
  readonly #queues = new Set<EventQueue<T>>()
  #isClosed = false

  push(event: T): void {
    for (const queue of this.#queues) {
      if (queue.waiting.length < VOICE_EVENTS_MAX) queue.waiting.push(event)
      else queue.isTooSlow = true
      queue.wake()
    }
  }

  close(): void {
    this.#isClosed = true
    for (const queue of this.#queues) queue.wake()
  }

  /** Queues from this call on, not from the first read, so that no event is lost. */
  read(): AsyncGenerator<T, void, undefined> {
    const queue: EventQueue<T> = { waiting: [], wake: () => {}, isTooSlow: false }
    this.#queues.add(queue)
    return this.#events(queue)
  }

  async *#events(queue: EventQueue<T>): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        while (queue.waiting.length > 0) yield queue.waiting.shift() as T
        if (queue.isTooSlow) throw new FabricError(0, 'slow_reader', TOO_SLOW)
        if (this.#isClosed) return
        await new Promise<void>((resolve) => {
          queue.wake = resolve
        })
      }
    } finally {
      this.#queues.delete(queue)
    }
  }
}

const TOO_SLOW = `More than ${VOICE_EVENTS_MAX} events waited to be read. Read them as they come, and do slow work elsewhere.`
