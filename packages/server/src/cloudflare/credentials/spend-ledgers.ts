// A ledger per run that spends the server's keys, with its sums in the storage of the session's object.
import { keyText } from '@bridle/kernel/event'
import { SpendLedger, type SpendSums } from '@bridle/runners/credentials/spending/spend-ledger'
import type { SpendRows } from '@bridle/stores/object/spend-rows'
import type { CredentialClaim } from './credential-proxy.ts'

export class SpendLedgers {
  readonly #rows: SpendRows
  readonly #ledgers = new Map<string, SpendLedger>()

  constructor(rows: SpendRows) {
    this.#rows = rows
  }

  /** All requests of a run share a ledger; otherwise two of them could spend the same budget. */
  ledgerFor(claim: CredentialClaim): SpendLedger {
    const name = nameOf(claim)
    const existing = this.#ledgers.get(name)
    if (existing) {
      existing.setLimit(claim.maxUsd)
      return existing
    }
    // Idle ledgers are persisted, and are reloaded on the next request.
    for (const [each, ledger] of this.#ledgers) if (ledger.isIdle) this.#ledgers.delete(each)
    const saveSums = (sums: SpendSums) => this.#rows.save(name, sums)
    const ledger = new SpendLedger({ maxUsd: claim.maxUsd, spentUsd: this.#rows.spentUsd(name), saveSums })
    this.#ledgers.set(name, ledger)
    return ledger
  }
}

const nameOf = ({ key, runId, attempt, provider }: CredentialClaim): string =>
  [keyText(key), runId, attempt, provider].join(' ')
