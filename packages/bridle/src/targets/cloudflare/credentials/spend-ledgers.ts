// What each run has spent of the server's keys, kept with its session: an object that sleeps must not forget a limit. What
// is reserved is kept too, before the request is sent: an object that dies in between counts it as spent.
import { keyText } from '../../../kernel/event.ts'
import { SpendLedger, type SpendSums } from '../../../runners/credentials/spending/spend-ledger.ts'
import type { SqlDriver } from '../../../stores/drivers/driver.ts'
import type { CredentialClaim } from './credential-proxy.ts'

export class SpendLedgers {
  readonly #driver: SqlDriver
  readonly #ledgers = new Map<string, SpendLedger>()

  constructor(driver: SqlDriver) {
    this.#driver = driver
  }

  /** The ledger of a run: one, for all its requests at once. */
  ledgerFor(claim: CredentialClaim): SpendLedger {
    const name = nameOf(claim)
    const known = this.#ledgers.get(name)
    if (known) {
      known.setLimit(claim.maxUsd)
      return known
    }
    // Those that nobody uses are read again when they are asked for.
    for (const [each, ledger] of this.#ledgers) if (ledger.isIdle) this.#ledgers.delete(each)
    const note = (sums: SpendSums) => this.#save(name, sums)
    const ledger = new SpendLedger({ maxUsd: claim.maxUsd, spentUsd: this.#spentUsd(name), note })
    this.#ledgers.set(name, ledger)
    return ledger
  }

  #spentUsd(name: string): number {
    for (const table of tables) this.#driver.run(table)
    const row = this.#driver.get<{ spent: number; reserved: number | null }>(
      'SELECT s.usd AS spent, r.usd AS reserved FROM spends AS s LEFT JOIN reserved_spends AS r ON r.run = s.run WHERE s.run = ?',
      name,
    )
    return (row?.spent ?? 0) + (row?.reserved ?? 0)
  }

  #save(name: string, { spentUsd, reservedUsd }: SpendSums): void {
    for (const [table, usd] of [
      ['spends', spentUsd],
      ['reserved_spends', reservedUsd],
    ] as const)
      this.#driver.run(
        `INSERT INTO ${table} (run, usd) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET usd = excluded.usd`,
        ...[name, usd],
      )
  }
}

const nameOf = ({ key, runId, attempt, provider }: CredentialClaim): string =>
  [keyText(key), runId, attempt, provider].join(' ')

const tables = ['spends', 'reserved_spends'].map(
  (name) => `CREATE TABLE IF NOT EXISTS ${name} (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID`,
)
