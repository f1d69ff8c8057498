// Virtual time. Everything that waits is in one queue, and the order in which it leaves is the run.
import type { Prng } from './prng.ts'

interface ScheduleEntry {
  readonly at: number
  readonly order: number
  readonly call: () => void
  forgotten: boolean
}

/** Things this close in time may happen before the first of them has settled. */
const TOGETHER_MS = 5

export class VirtualSchedule {
  readonly #prng: Prng
  readonly #heap: ScheduleEntry[] = []
  #order = 0
  #ticks = 0
  /** Monotonic milliseconds since the run began; wall clocks are this and an offset. */
  now = 0

  constructor(prng: Prng) {
    this.#prng = prng
  }

  after(ms: number, call: () => void): () => void {
    const entry = { at: this.now + Math.max(0, ms), order: this.#order++, call, forgotten: false }
    this.#push(entry)
    return () => {
      entry.forgotten = true
    }
  }

  /** Runs what is next, sometimes several things within a few ticks of each other. False when nothing waits until then. */
  async step(until = Number.POSITIVE_INFINITY): Promise<boolean> {
    let ran = false
    const next = () => (this.#together() ? this.#pop(Math.min(until, this.now + TOGETHER_MS)) : null)
    for (let entry = this.#pop(until); entry; entry = next()) {
      ran = true
      this.now = Math.max(this.now, entry.at)
      entry.call()
      for (let ticks = this.#ticks; ticks > 0; ticks--) await null
    }
    await flushTasks()
    return ran
  }

  /** Runs everything up to a moment. Returns how much that was; more than `most` would never end. */
  async runTo(at: number, most: number): Promise<number> {
    let ran = 0
    await flushTasks()
    while (ran < most && (await this.step(at))) ran++
    this.now = Math.max(this.now, at)
    return ran
  }

  /** Whether the next thing happens before this one has settled, and how soon. */
  #together(): boolean {
    const together = this.#prng.chance(0.25)
    this.#ticks = together ? this.#prng.int(0, 6) : 0
    return together
  }

  #push(entry: ScheduleEntry): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(entry)
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!isBefore(entry, heap[up]!)) break
      heap[at] = heap[up]!
      at = up
    }
    heap[at] = entry
  }

  #pop(until: number): ScheduleEntry | null {
    for (;;) {
      const first = this.#heap[0]
      if (!first || (!first.forgotten && first.at > until)) return null
      this.#remove()
      if (!first.forgotten) return first
    }
  }

  #remove(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let down = 2 * at + 1
      if (down + 1 < heap.length && isBefore(heap[down + 1]!, heap[down]!)) down += 1
      if (down >= heap.length || !isBefore(heap[down]!, last)) break
      heap[at] = heap[down]!
      at = down
    }
    heap[at] = last
  }
}

const isBefore = (a: ScheduleEntry, b: ScheduleEntry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Resolves after all microtasks, at the next turn of the event loop. Virtual time does not pass. */
export const flushTasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
