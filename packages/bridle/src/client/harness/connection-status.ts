// How the connection is, as a value that can be rendered: a new object for each change, the same until then.
import type { HarnessConnection } from './options.ts'

type Known = Omit<HarnessConnection, 'lastSeq'>

export class ConnectionStatus {
  readonly #lastSeq: () => number | null
  readonly #onChange: (connection: HarnessConnection) => void
  #now: HarnessConnection

  constructor(lastSeq: () => number | null, onChange: (connection: HarnessConnection) => void) {
    this.#lastSeq = lastSeq
    this.#onChange = onChange
    this.#now = this.#snapshot({ phase: 'connecting', attempt: 0, resyncs: 0 })
  }

  get now(): HarnessConnection {
    return this.#now
  }

  move(change: Partial<Known>): void {
    const names = Object.keys(change) as (keyof Known)[]
    if (names.every((name) => this.#now[name] === change[name])) return
    this.#now = this.#snapshot({ ...this.#now, ...change })
    this.#onChange(this.#now)
  }

  /** The number changes with every delta. A new object for each would render the page for nothing. */
  #snapshot(known: Known): HarnessConnection {
    const lastSeq = this.#lastSeq
    return {
      ...known,
      get lastSeq() {
        return lastSeq()
      },
    }
  }
}
