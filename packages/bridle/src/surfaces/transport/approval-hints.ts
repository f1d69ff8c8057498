// A client of the document alone knows no approvals: its session would just stay `running`. It is told by an `error` message, the
// only one it knows that is meant for a person, once for each approval. Clients that know approvals are told nothing.

import type { Key } from '../../kernel/event.ts'
import type { Approvals } from '../../kernel/projections/approvals.ts'
import { truncate } from '../../kernel/text/truncate.ts'

/** Characters of a tool's name: an agent chose it. */
const NAME_CHARS_MAX = 200
const HIBERNATED_MAX = 32

export class ApprovalHints {
  readonly #key: Key
  /** Open approvals that the client was told of; null = it knows approvals. */
  #hinted: readonly string[] | null
  #lastOpen: Approvals['open'] | null = null

  constructor(key: Key, hinted: readonly string[] | null) {
    this.#key = key
    this.#hinted = hinted
  }

  /** The hints that are due. This is called with every delta: most change nothing here, and cost one comparison. */
  due({ open }: Approvals): readonly string[] {
    if (this.#hinted === null || open === this.#lastOpen) return nothing
    this.#lastOpen = open
    const before = this.#hinted
    const ids = Object.keys(open)
    this.#hinted = ids
    return ids.filter((id) => !before.includes(id)).map((id) => this.#hint(id, open[id]?.tool ?? 'A call'))
  }

  /** The client has answered an approval. */
  stop(): void {
    this.#hinted = null
  }

  /** The part that is kept while the socket sleeps: the latest ids, as little fits with a socket. */
  hibernate(): readonly string[] | null {
    return this.#hinted?.slice(-HIBERNATED_MAX) ?? null
  }

  #hint(id: string, tool: string): string {
    const path = `/sessions/${encodeURIComponent(this.#key.id)}/approvals/${encodeURIComponent(id)}`
    return `${truncate(tool, NAME_CHARS_MAX)} waits for an approval. Answer it in a client that shows approvals, or with POST ${path}/approve or ${path}/reject.`
  }
}

const nothing: readonly string[] = []
