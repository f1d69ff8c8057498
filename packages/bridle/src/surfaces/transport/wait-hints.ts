// A client of the bare document shows neither approvals nor queues: its session would just stay `running`. Such a client gets an `error`
// message, the only one of the document that a person sees, once for each wait. Clients that show approvals get none.

import type { Key } from '../../kernel/event.ts'
import type { Approvals } from '../../kernel/projections/approvals.ts'
import type { SessionState } from '../../kernel/projections/state.ts'
import { truncate } from '../../kernel/text/truncate.ts'
import { HIBERNATED_HINTS_MAX, HINT_NAME_CHARS_MAX } from './limits.ts'

type WaitingState = Pick<SessionState, 'approvals' | 'lifecycle'>

export class WaitHints {
  readonly #key: Key
  /** Waits that the client got a hint about; null = the client shows approvals. */
  #hinted: readonly string[] | null
  #lastOpen: Approvals['open'] | null = null
  #lastWait: string | null = null

  constructor(key: Key, hinted: readonly string[] | null) {
    this.#key = key
    this.#hinted = hinted
  }

  /** The hints that are due. The connection asks with every delta; a delta that changes no wait costs two comparisons. */
  due({ approvals: { open }, lifecycle: { run } }: WaitingState): readonly string[] {
    const wait = run?.awaitsSandbox ? `${SANDBOX}${run.runId}` : null
    if (this.#hinted === null || (open === this.#lastOpen && wait === this.#lastWait)) return nothing
    this.#lastOpen = open
    this.#lastWait = wait
    const before = this.#hinted
    const waits: [id: string, hint: () => string][] = Object.keys(open).map((id) => [
      id,
      () => this.#approvalHint(id, open[id]?.tool ?? 'A call'),
    ])
    if (wait !== null) waits.push([wait, () => SANDBOX_HINT])
    this.#hinted = waits.map(([id]) => id)
    return waits.filter(([id]) => !before.includes(id)).map(([, hint]) => hint())
  }

  /** The client has answered an approval, so it shows them. */
  stop(): void {
    this.#hinted = null
  }

  /** The waits that stay while the socket hibernates: the latest, since little fits with a socket. */
  hibernate(): readonly string[] | null {
    return this.#hinted?.slice(-HIBERNATED_HINTS_MAX) ?? null
  }

  #approvalHint(id: string, tool: string): string {
    const path = `/sessions/${encodeURIComponent(this.#key.id)}/approvals/${encodeURIComponent(id)}`
    return `${truncate(tool, HINT_NAME_CHARS_MAX)} waits for an approval. Answer it in a client that shows approvals, or with POST ${path}/approve or ${path}/reject.`
  }
}

/** No approval has an id with a colon. */
const SANDBOX = 'sandbox:'
const SANDBOX_HINT =
  'The prompt is waiting: its runner is starting, or is busy with another session. It starts automatically as soon as the runner is free.'
const nothing: readonly string[] = []
