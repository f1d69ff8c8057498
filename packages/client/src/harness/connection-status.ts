// The connection status for rendering. The same object until it changes.
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

  /** A getter, because `lastSeq` changes with every delta, and a new object would re-render the page. */
  #snapshot(fields: ConnectionFields): HarnessConnection {
    const lastSeq = this.#lastSeq
    return {
      ...fields,
      get lastSeq() {
        return lastSeq()
      },
    }
  }
}
