// A client of the bare document does not show approvals: its session would just stay `running`. Such a client gets an `error`
// message, the only one of the document that a person sees, once for each approval. Clients that show approvals get none.

import type { Key } from '../../kernel/event.ts'
import type { Approvals } from '../../kernel/projections/approvals.ts'
import { truncate } from '../../kernel/text/truncate.ts'
import { HIBERNATED_HINTS_MAX, HINT_NAME_CHARS_MAX } from './limits.ts'

export class WaitHints {
  readonly #key: Key
  /** Open approvals that the client got a hint about; null = the client shows approvals. */
  #hinted: readonly string[] | null
  #lastOpen: Approvals['open'] | null = null

  constructor(key: Key, hinted: readonly string[] | null) {
    this.#key = key
    this.#hinted = hinted
  }

  /** The hints that are due. The connection asks with every delta; a delta that leaves the approvals alone costs one comparison. */
  due({ open }: Approvals): readonly string[] {
    if (this.#hinted === null || open === this.#lastOpen) return nothing
    this.#lastOpen = open
    const before = this.#hinted
    const ids = Object.keys(open)
    this.#hinted = ids
    return ids.filter((id) => !before.includes(id)).map((id) => this.#hint(id, open[id]?.tool ?? 'A call'))
  }

  /** The client has answered an approval, so it shows them. */
  stop(): void {
    this.#hinted = null
  }

  /** The ids that stay while the socket hibernates: the latest, since little fits with a socket. */
  hibernate(): readonly string[] | null {
    return this.#hinted?.slice(-HIBERNATED_HINTS_MAX) ?? null
  }

  #hint(id: string, tool: string): string {
    const path = `/sessions/${encodeURIComponent(this.#key.id)}/approvals/${encodeURIComponent(id)}`
    return `${truncate(tool, HINT_NAME_CHARS_MAX)} waits for an approval. Answer it in a client that shows approvals, or with POST ${path}/approve or ${path}/reject.`
  }
}

const nothing: readonly string[] = []
