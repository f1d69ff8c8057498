// What each run has spent of the server's keys, kept with its session: an object that sleeps must not forget a limit.
import { keyText } from '../../kernel/event.ts'
import type { Driver } from '../../stores/driver.ts'
import type { Claim } from './credentials.ts'

export class Spends {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  of(claim: Claim): number {
    this.#driver.run(table)
    return this.#driver.get<{ usd: number }>('SELECT usd FROM spends WHERE run = ?', nameOf(claim))?.usd ?? 0
  }

  add(claim: Claim, usd: number): void {
    this.#driver.run(table)
    this.#driver.run(
      'INSERT INTO spends (run, usd) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET usd = usd + excluded.usd',
      ...[nameOf(claim), usd],
    )
  }
}

const nameOf = ({ key, runId, attempt, provider }: Claim): string => [keyText(key), runId, attempt, provider].join(' ')

const table = 'CREATE TABLE IF NOT EXISTS spends (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID'
