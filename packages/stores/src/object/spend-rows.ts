// An evicted object must not forget a limit, so the reserved amount is written before the request is sent.
import type { SqlDriver } from '../drivers/driver.ts'

export interface SpendRows {
  /** Unsettled reservations count as spent: the object died during the request. */
  spentUsd(run: string): number
  save(run: string, sums: { readonly spentUsd: number; readonly reservedUsd: number }): void
}

export const spendRows = (driver: SqlDriver): SpendRows => {
  const saveIn = (table: 'spends' | 'reserved_spends', run: string, usd: number): void =>
    driver.run(
      `INSERT INTO ${table} (run, usd) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET usd = excluded.usd`,
      ...[run, usd],
    )
  return {
    spentUsd: (run) => {
      const row = driver.get<{ spent: number; reserved: number | null }>(
        'SELECT s.usd AS spent, r.usd AS reserved FROM spends AS s LEFT JOIN reserved_spends AS r ON r.run = s.run WHERE s.run = ?',
        run,
      )
      return (row?.spent ?? 0) + (row?.reserved ?? 0)
    },
    save: (run, { spentUsd, reservedUsd }) => {
      saveIn('spends', run, spentUsd)
      saveIn('reserved_spends', run, reservedUsd)
    },
  }
}
