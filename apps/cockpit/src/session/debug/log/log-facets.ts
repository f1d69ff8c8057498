// The values that filters offer: those that the loaded entries have.
import { CALLS_MAX } from '../limits.ts'
import type { EntryFacts } from './entry-facts.ts'

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
