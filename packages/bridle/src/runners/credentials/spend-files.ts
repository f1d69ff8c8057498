// The cost of a session's run, in a file of the session's folder, so that a restart does not reset a limit. A session plays
// one run at a time, so the file holds one sum.
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
  /** The worst-case cost of open requests. Absent in files of an older version. */
  readonly reservedUsd?: number
}

export class SpendFiles {
  readonly #data: string

  constructor(data: string) {
    this.#data = data
  }

  /** The cost of the run so far. Makes the folder that later sums are saved in. */
  load(name: GrantName): number {
    mkdirSync(sessionFolder(this.#data, name.key), { recursive: true, mode: 0o700 })
    return this.#of(name)
  }

  /** Saves nothing for a session that was removed meanwhile: its folder must not come back. */
  save(name: GrantName, { spentUsd, reservedUsd }: SpendSums): void {
    const file = this.#file(name)
    if (!existsSync(dirname(file))) return
    const noted: SpendRecord = { run: runOf(name), usd: spentUsd, reservedUsd }
    writeFileSync(`${file}.new`, JSON.stringify(noted), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  /** A request that was open when the last process died counts with its worst-case cost: its real cost is unknown. */
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
