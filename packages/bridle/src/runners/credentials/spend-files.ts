// What a session's run has spent of the server's keys, in the session's folder: whoever starts again must not forget a
// limit. One run at a time, so one sum.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keyText } from '../../kernel/event.ts'
import { sessionFolder } from '../sandboxes/folders/session-paths.ts'
import type { GrantName } from './grants.ts'
import type { SpendSums } from './spending/spend-ledger.ts'

interface SpendRecord {
  readonly run: string
  readonly usd: number
  /** The worst case of requests that were under way. Absent in notes of an older version. */
  readonly reservedUsd?: number
}

export class SpendFiles {
  readonly #data: string

  constructor(data: string) {
    this.#data = data
  }

  /** What it had spent before. From here on there is a place to note more. */
  load(name: GrantName): number {
    mkdirSync(sessionFolder(this.#data, name.key), { recursive: true, mode: 0o700 })
    return this.#of(name)
  }

  /** Of a session that was removed meanwhile nothing is noted: its folder is not to come back. */
  save(name: GrantName, { spentUsd, reservedUsd }: SpendSums): void {
    const file = this.#file(name)
    if (!existsSync(dirname(file))) return
    const noted: SpendRecord = { run: runOf(name), usd: spentUsd, reservedUsd }
    writeFileSync(`${file}.new`, JSON.stringify(noted), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  /** A request that was under way when the last process died counts with its worst case: nobody knows what it cost. */
  #of(name: GrantName): number {
    const noted = this.#read(name)
    if (noted?.run !== runOf(name) || !Number.isFinite(noted.usd)) return 0
    return noted.usd + (Number.isFinite(noted.reservedUsd) ? (noted.reservedUsd ?? 0) : 0)
  }

  #read(name: GrantName): SpendRecord | null {
    try {
      return JSON.parse(readFileSync(this.#file(name), 'utf8')) as SpendRecord | null
    } catch {
      return null
    }
  }

  #file({ key }: GrantName): string {
    return join(sessionFolder(this.#data, key), 'spent.json')
  }
}

/** A branch begins with its parent's folder, whose runs may have the same numbers. */
const runOf = ({ key, runId, attempt, provider }: GrantName): string =>
  createHash('sha256')
    .update(JSON.stringify([keyText(key), runId, attempt, provider]))
    .digest('hex')
