// What the directory does not know yet of this object's sessions. Marked in the write that changed it, told soon after,
// and as often as it takes; a mark that was told is taken away only if nothing has changed meanwhile.
import { type Key, keyText } from '../../../kernel/event.ts'
import type { Log } from '../../../kernel/ports/store.ts'
import type { Driver } from '../../../stores/drivers/driver.ts'
import { ownedRow } from '../../../stores/sqlite/sqlite-directory.ts'
import type { Told } from './remote-directory.ts'
import type { TenantDirectory } from './shards.ts'

const RETRY_MS = 5_000
/** Sessions of one object: itself and its branches. */
const GREETED_MAX = 500

export interface OutboxPorts {
  readonly driver: Driver
  readonly log: Log
  readonly directory: (tenant: string) => Pick<TenantDirectory, 'register' | 'tell'>
  readonly home: () => string
  readonly now: () => number
  /** When to try again; null = all is told. */
  readonly retry: (at: number | null) => void
}

interface Mark extends Key {
  readonly n: number
}

export class Outbox {
  readonly #ports: OutboxPorts
  readonly #known = new Set<string>()
  #isReady = false
  #hasGreeted = false
  #greeting = Promise.resolve()
  #telling: Promise<void> | null = null

  constructor(ports: OutboxPorts) {
    this.#ports = ports
  }

  /** Throws when it is another object's session, or when nobody can tell. */
  async register(key: Key): Promise<void> {
    const home = this.#ports.home()
    const theirs = await this.#ports.directory(key.tenant).register({ key, home })
    if (theirs !== home) throw new Error(`${keyText(key)} lives in another object.`)
  }

  /** Whether this incarnation has told of it before: once each time, so that a lost directory comes back. */
  isKnown(key: Key): boolean {
    const name = keyText(key)
    return this.#known.has(name) || !this.#known.add(name)
  }

  /** In the turn of the write that changed it. */
  mark({ tenant, agent, id }: Key): void {
    const { driver } = this.#ports
    if (!this.#isReady) driver.run(table)
    this.#isReady = true
    driver.run(
      `INSERT INTO untold (tenant, agent, id, n) VALUES (?, ?, ?, 1)
       ON CONFLICT (tenant, agent, id) DO UPDATE SET n = n + 1`,
      ...[tenant, agent, id],
    )
  }

  /** Resolves when what was marked before is told, or could not be. */
  tell(): Promise<void> {
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = null
    })
    return this.#telling
  }

  /** Once in each life, when somebody asks: a directory that was lost learns of those, too, that have nothing to write. */
  greet(): Promise<void> {
    if (!this.#hasGreeted) this.#greeting = this.#greet()
    return this.#greeting
  }

  async #greet(): Promise<void> {
    this.#hasGreeted = true
    const { driver, directory } = this.#ports
    try {
      const here = driver.all<Key>('SELECT tenant, agent, id FROM sessions WHERE removed = 0 LIMIT ?', GREETED_MAX)
      const untold = here.filter((key) => !this.#known.has(keyText(key)))
      const [first] = untold
      if (!first) return
      await directory(first.tenant).tell(await this.#told(untold))
      for (const key of untold) this.#known.add(keyText(key))
    } catch {
      this.#hasGreeted = false
    }
  }

  async #tellAll(): Promise<void> {
    const { driver, directory, now, retry } = this.#ports
    if (!this.#isReady) {
      const found = driver.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'untold'")
      if (!found) return
      this.#isReady = true
    }
    try {
      for (;;) {
        const marks = driver.all<Mark>('SELECT tenant, agent, id, n FROM untold LIMIT 50')
        const [first] = marks
        if (!first) return retry(null)
        // A greeting that came behind it would undo it: both have the same head where a session was removed.
        await this.#greeting
        // All sessions of an object have one tenant.
        await directory(first.tenant).tell(await this.#told(marks))
        for (const { tenant, agent, id, n } of marks)
          driver.run('DELETE FROM untold WHERE tenant = ? AND agent = ? AND id = ? AND n = ?', tenant, agent, id, n)
      }
    } catch {
      retry(now() + RETRY_MS)
    }
  }

  /** One whose row is damaged is passed over: others must not wait for it, and "no row" would say that it is gone. */
  async #told(keys: readonly Key[]): Promise<Told[]> {
    const told = await Promise.all(keys.map((key) => this.#standing(key)))
    return told.filter((each) => each !== null)
  }

  async #standing({ tenant, agent, id }: Key): Promise<Told | null> {
    const { driver, log, home } = this.#ports
    const key = { tenant, agent, id }
    const found = driver.get<{ row: string; owner: string | null }>(
      'SELECT row, owner FROM sessions WHERE tenant = ? AND id = ? AND agent = ? AND removed = 0',
      ...[tenant, id, agent],
    )
    const head = (await log.open(key))?.head ?? 0
    const row = found ? ownedRow(found.row, found.owner) : null
    return found && !row ? null : { key, home: home(), head, row }
  }
}

const table = `CREATE TABLE IF NOT EXISTS untold (
  tenant TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (tenant, agent, id)) WITHOUT ROWID`
