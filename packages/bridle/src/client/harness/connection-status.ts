// How the connection is, as a value that can be rendered: a new object for each change, the same until then.
import type { HarnessConnection } from './options.ts'

type ConnectionFields = Omit<HarnessConnection, 'lastSeq'>

export class ConnectionStatus {
  readonly #lastSeq: () => number | null
  readonly #onChange: (connection: HarnessConnection) => void
  #current: HarnessConnection

  constructor(lastSeq: () => number | null, onChange: (connection: HarnessConnection) => void) {
    this.#lastSeq = lastSeq
    this.#onChange = onChange
    this.#current = this.#snapshot({ phase: 'connecting', attempt: 0, resyncs: 0 })
  }

  get current(): HarnessConnection {
    return this.#current
  }

  update(change: Partial<ConnectionFields>): void {
    const names = Object.keys(change) as (keyof ConnectionFields)[]
    if (names.every((name) => this.#current[name] === change[name])) return
    this.#current = this.#snapshot({ ...this.#current, ...change })
    this.#onChange(this.#current)
  }

  /** The number changes with every delta. A new object for each would render the page for nothing. */
  #snapshot(known: ConnectionFields): HarnessConnection {
    const lastSeq = this.#lastSeq
    return {
      ...known,
      get lastSeq() {
        return lastSeq()
      },
    }
  }
}
