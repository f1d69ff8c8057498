// The patience of a request: it ends when its line closes, and when the other side is silent for too long.
import type { Clock } from '../../../kernel/ports/clock.ts'

export class Patience {
  readonly #clock: Clock
  readonly #ms: number
  readonly #controller = new AbortController()
  readonly #line: AbortSignal
  readonly #end = () => this.#controller.abort(this.#line.reason)
  #clear: () => void = () => {}
  /** The other side was silent for too long. */
  isOver = false

  constructor(clock: Clock, ms: number, line: AbortSignal) {
    this.#clock = clock
    this.#ms = ms
    this.#line = line
    if (line.aborted) this.#end()
    else line.addEventListener('abort', this.#end, { once: true })
    this.renew()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The other side has given a sign of life. */
  renew(): void {
    this.#clear()
    this.#clear = this.#clock.after(this.#ms, () => {
      this.isOver = true
      this.#controller.abort(new Error('No answer in time.'))
    })
  }

  /** Nothing is awaited any more. */
  release(): void {
    this.#clear()
    this.#line.removeEventListener('abort', this.#end)
  }
}
