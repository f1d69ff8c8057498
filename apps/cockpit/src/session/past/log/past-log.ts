// The log of a session in the page: it comes in pages, is folded in slices so that the page stays usable, and grows while the session goes on.
import type { History, LogEntry } from 'bridle/history'
import { GrowingOverview } from './log-overview.ts'

/** Time of folding before the page gets its turn again: a task of 50 ms is felt, and other work needs its part of a frame. */
const FOLD_SLICE_MS = 8
/** Events that are folded between two looks at the clock. */
const FOLD_STEP = 25

export interface LogPage {
  readonly session: ConstructorParameters<typeof History>[0]
  readonly entries: readonly LogEntry[]
  /** The last event of the log. */
  readonly head: number
  readonly incarnation: number
}

/** Reads the entries behind an event; 0 = from the beginning. */
export type ReadLog = (after: number) => Promise<LogPage>

export interface LogState {
  /** Null until the first page is there. */
  readonly log: LoadedLog | null
  readonly isLoading: boolean
  readonly error: Error | null
}

export interface LoadedLog {
  readonly history: History
  readonly overview: GrowingOverview
  readonly incarnation: number
  /** The last event that is here. */
  readonly loaded: number
  /** The last event of the log, as the server said with the newest page. */
  readonly head: number
}

export class PastLog {
  readonly #read: ReadLog
  readonly #listeners = new Set<() => void>()
  #state: LogState = { log: null, isLoading: false, error: null }
  #isClosed = false

  constructor(read: ReadLog) {
    this.#read = read
  }

  getSnapshot = (): LogState => this.#state

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads everything that is not here yet. A call while the log loads changes nothing. */
  load = async (): Promise<void> => {
    if (this.#state.isLoading || this.#isClosed) return
    this.#update({ ...this.#state, isLoading: true, error: null })
    try {
      let isOver = false
      while (!isOver && !this.#isClosed) isOver = await this.#loadPage()
      this.#update({ ...this.#state, isLoading: false })
    } catch (error) {
      this.#update({ ...this.#state, isLoading: false, error: error as Error })
    }
  }

  /** Begins anew: after an error that says that the log here is not the server's. */
  reload = (): Promise<void> => {
    if (!this.#state.isLoading) this.#state = { log: null, isLoading: false, error: null }
    return this.load()
  }

  /** Opens the log for a page that shows it, and returns the function that closes it. */
  open = (): (() => void) => {
    this.#isClosed = false
    return () => {
      this.#isClosed = true
    }
  }

  async #loadPage(): Promise<boolean> {
    const page = await this.#read(this.#state.log?.loaded ?? 0)
    const log = this.#state.log ?? (await emptyLog(page))
    const { history, overview } = log
    for (let from = 0; from < page.entries.length && !this.#isClosed; ) {
      const until = performance.now() + FOLD_SLICE_MS
      do {
        const step = page.entries.slice(from, from + FOLD_STEP)
        history.append(step)
        overview.add(step)
        from += FOLD_STEP
      } while (from < page.entries.length && performance.now() < until)
      await nextTask()
    }
    this.#update({ ...this.#state, log: { ...log, loaded: history.head, head: page.head } })
    return page.entries.length === 0 || history.head >= page.head
  }

  #update(state: LogState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** The code of the fold comes with the first page: a page that is live needs none of it. */
const emptyLog = async ({ session, entries, head, incarnation }: LogPage): Promise<LoadedLog> => {
  const { History } = await import('bridle/history')
  const first = entries[0]?.seq ?? 1
  return { history: new History(session), overview: new GrowingOverview(first), incarnation, loaded: first - 1, head }
}

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
