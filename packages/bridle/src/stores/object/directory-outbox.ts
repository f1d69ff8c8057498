// What the directory does not know yet of this object's sessions. Marked in the write that changed it, told soon after,
// and as often as it takes; a mark that was told is taken away only if nothing has changed meanwhile.
import { type Key, keyText } from '../../kernel/event.ts'
import type { Log } from '../../kernel/ports/store.ts'
import type { SqlDriver } from '../drivers/driver.ts'
import { ANNOUNCED_MAX, PUBLISH_RETRY_MS } from '../limits.ts'
import { rowWithOwner } from '../sqlite/sqlite-directory.ts'
import type { DirectoryUpdate } from './remote-directory.ts'
import type { TenantDirectory } from './shards.ts'

export interface DirectoryOutboxPorts {
  readonly driver: SqlDriver
  readonly log: Log
  readonly directory: (tenant: string) => Pick<TenantDirectory, 'register' | 'update'>
  readonly home: () => string
  readonly now: () => number
  /** When to try again; null = all is told. */
  readonly retry: (at: number | null) => void
}

interface PendingUpdate extends Key {
  readonly n: number
}

export class DirectoryOutbox {
  readonly #ports: DirectoryOutboxPorts
  readonly #published = new Set<string>()
  #hasAnnounced = false
  #announcing = Promise.resolve()
  #publishing: Promise<void> | null = null

  constructor(ports: DirectoryOutboxPorts) {
    this.#ports = ports
  }

  /** Throws when it is another object's session, or when nobody can tell. */
  async register(key: Key): Promise<void> {
    const home = this.#ports.home()
    const theirs = await this.#ports.directory(key.tenant).register({ key, home })
    if (theirs !== home) throw new Error(`${keyText(key)} lives in another object.`)
  }

  /** Whether this incarnation has told of it before: once each time, so that a lost directory comes back. */
  wasPublished(key: Key): boolean {
    const name = keyText(key)
    return this.#published.has(name) || !this.#published.add(name)
  }

  /** In the turn of the write that changed it. */
  mark({ tenant, agent, id }: Key): void {
    const { driver } = this.#ports
    driver.run(
      `INSERT INTO untold (tenant, agent, id, n) VALUES (?, ?, ?, 1)
       ON CONFLICT (tenant, agent, id) DO UPDATE SET n = n + 1`,
      ...[tenant, agent, id],
    )
  }

  /** Resolves when what was marked before is told, or could not be. */
  publish(): Promise<void> {
    this.#publishing ??= this.#publishPending().finally(() => {
      this.#publishing = null
    })
    return this.#publishing
  }

  /** Once in each life, when somebody asks: a directory that was lost learns of those, too, that have nothing to write. */
  announce(): Promise<void> {
    if (!this.#hasAnnounced) this.#announcing = this.#announce()
    return this.#announcing
  }

  async #announce(): Promise<void> {
    this.#hasAnnounced = true
    const { driver, directory } = this.#ports
    try {
      const here = driver.all<Key>('SELECT tenant, agent, id FROM sessions WHERE removed = 0 LIMIT ?', ANNOUNCED_MAX)
      const untold = here.filter((key) => !this.#published.has(keyText(key)))
      const [first] = untold
      if (!first) return
      await directory(first.tenant).update(await this.#updatesFor(untold))
      for (const key of untold) this.#published.add(keyText(key))
    } catch {
      this.#hasAnnounced = false
    }
  }

  async #publishPending(): Promise<void> {
    const { driver, directory, now, retry } = this.#ports
    try {
      for (;;) {
        const marks = driver.all<PendingUpdate>('SELECT tenant, agent, id, n FROM untold LIMIT 50')
        const [first] = marks
        if (!first) return retry(null)
        // A greeting that came behind it would undo it: both have the same head where a session was removed.
        await this.#announcing
        // All sessions of an object have one tenant.
        await directory(first.tenant).update(await this.#updatesFor(marks))
        for (const { tenant, agent, id, n } of marks)
          driver.run('DELETE FROM untold WHERE tenant = ? AND agent = ? AND id = ? AND n = ?', tenant, agent, id, n)
      }
    } catch {
      retry(now() + PUBLISH_RETRY_MS)
    }
  }

  /** One whose row is damaged is passed over: others must not wait for it, and "no row" would say that it is gone. */
  async #updatesFor(keys: readonly Key[]): Promise<DirectoryUpdate[]> {
    const told = await Promise.all(keys.map((key) => this.#updateFor(key)))
    return told.filter((each) => each !== null)
  }

  async #updateFor({ tenant, agent, id }: Key): Promise<DirectoryUpdate | null> {
    const { driver, log, home } = this.#ports
    const key = { tenant, agent, id }
    const found = driver.get<{ row: string; owner: string | null }>(
      'SELECT row, owner FROM sessions WHERE tenant = ? AND id = ? AND agent = ? AND removed = 0',
      ...[tenant, id, agent],
    )
    const head = (await log.open(key))?.head ?? 0
    const row = found ? rowWithOwner(found.row, found.owner) : null
    return found && !row ? null : { key, home: home(), head, row }
  }
}
