// The values that filters offer: those that the loaded entries have.
import type { EntryFacts } from './entry-facts.ts'

/** Entries that the page holds, the newest: as many as the time scrubber has, and far below what a tab may take. */
export const ENTRIES_MAX = 100_000

/** Call ids in the list of a filter: a select with thousands helps nobody, and the search field takes any id. */
const CALLS_MAX = 200

export class LogFacets {
  readonly types = new Set<string>()
  readonly tools = new Set<string>()
  readonly statuses = new Set<string>()
  readonly #toolOfCall = new Map<string, string>()
  readonly #calls = new Set<string>()

  add({ type, calls, tool, status }: EntryFacts): void {
    this.types.add(type)
    if (tool !== null) this.tools.add(tool)
    if (status !== null) this.statuses.add(status)
    for (const call of calls) {
      this.#calls.add(call)
      if (tool !== null && calls.length === 1) this.#toolOfCall.set(call, tool)
    }
    for (const kept of [this.tools, this.statuses, this.#calls, this.#toolOfCall]) dropOldest(kept)
  }

  get calls(): readonly string[] {
    return [...this.#calls].slice(0, CALLS_MAX)
  }

  /** The tool of an entry, also of one that names its call alone. */
  toolOf({ tool, calls }: EntryFacts): string | null {
    const [call] = calls
    return tool ?? (call === undefined ? null : (this.#toolOfCall.get(call) ?? null))
  }
}

/** As many as there may be entries: a page that follows a log for days must not keep every call of it. */
const dropOldest = (kept: Set<string> | Map<string, string>): void => {
  for (const [name] of kept.entries()) {
    if (kept.size <= ENTRIES_MAX) return
    kept.delete(name)
  }
}
