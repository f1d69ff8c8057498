// A session is marked in the write that changes it, published with retries, and unmarked unless it changed in between.

import { type Key, keyText } from '@bridle/kernel/event'
import type { Log } from '@bridle/kernel/ports/log'
import { sharedWork } from '../shared-work.ts'
import { rowWithOwner, storedRow } from '../sqlite/sqlite-directory.ts'
import type { ClaimedUploadsPorts } from '../uploads/claimed-uploads.ts'
import type { DirectoryUpdate } from './remote-directory.ts'
import type { TenantDirectory } from './shards.ts'

/** Short, because lists are wrong until the directory receives the change. */
const PUBLISH_RETRY_MS = 5_000
/** Bounds the sessions (one with its branches) in an announcement. */
const ANNOUNCED_MAX = 500

export interface DirectoryOutboxPorts extends Pick<ClaimedUploadsPorts, 'driver' | 'now' | 'retry'> {
  readonly log: Log
  readonly directory: (tenant: string) => Pick<TenantDirectory, 'register' | 'update'>
  readonly home: () => string
}

interface PendingUpdate extends Key {
  readonly n: number
}

export class DirectoryOutbox {
  readonly #ports: DirectoryOutboxPorts
  readonly #published = new Set<string>()
  #hasAnnounced = false
  #announcing = Promise.resolve()
  /** Resolves when all marks are published or a retry is scheduled. */
  readonly publish = sharedWork(() => this.#publishPending())

  constructor(ports: DirectoryOutboxPorts) {
    this.#ports = ports
  }

  /** Throws if another object has the session or the directory does not answer. */
  async register(key: Key): Promise<void> {
    const home = this.#ports.home()
    const theirs = await this.#ports.directory(key.tenant).register({ key, home })
    if (theirs !== home) throw new Error(`${keyText(key)} lives in another object.`)
  }

  /** After each start, every session is published at least once, so that a lost directory fills again. */
  wasPublished(key: Key): boolean {
    const name = keyText(key)
    return this.#published.has(name) || !this.#published.add(name)
  }

  /** Call in the turn of the write that changes the session, so that both are one write. */
  mark({ tenant, agent, id }: Key): void {
    const { driver } = this.#ports
    driver.run(
      `INSERT INTO untold (tenant, agent, id, n) VALUES (?, ?, ?, 1)
       ON CONFLICT (tenant, agent, id) DO UPDATE SET n = n + 1`,
      ...[tenant, agent, id],
    )
  }

  /** Once per start of the object. Restores a lost directory even for sessions that write nothing. */
  announce(): Promise<void> {
    if (!this.#hasAnnounced) this.#announcing = this.#announce()
    return this.#announcing
  }

  async #announce(): Promise<void> {
    this.#hasAnnounced = true
    const { driver, directory } = this.#ports
    try {
      const here = driver.all<Key>('SELECT tenant, agent, id FROM sessions WHERE removed = 0 LIMIT ?', ANNOUNCED_MAX)
      const unpublished = here.filter((key) => !this.#published.has(keyText(key)))
      const [first] = unpublished
      if (!first) return
      await directory(first.tenant).update(await this.#updatesFor(unpublished))
      for (const key of unpublished) this.#published.add(keyText(key))
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
        // A late announcement with the same head would undo a removal.
        await this.#announcing
        // An object has a single tenant.
        await directory(first.tenant).update(await this.#updatesFor(marks))
        for (const { tenant, agent, id, n } of marks)
          driver.run('DELETE FROM untold WHERE tenant = ? AND agent = ? AND id = ? AND n = ?', tenant, agent, id, n)
      }
    } catch {
      retry(now() + PUBLISH_RETRY_MS)
    }
  }

  /** Skips damaged rows: other sessions must not wait, and an update without a row would mean removal. */
  async #updatesFor(keys: readonly Key[]): Promise<DirectoryUpdate[]> {
    const updates = await Promise.all(keys.map((key) => this.#updateFor(key)))
    return updates.filter((each) => each !== null)
  }

  async #updateFor({ tenant, agent, id }: Key): Promise<DirectoryUpdate | null> {
    const { driver, log, home } = this.#ports
    const key = { tenant, agent, id }
    const found = storedRow(driver, key)
    const head = (await log.open(key))?.head ?? 0
    const row = found ? rowWithOwner(found.row, found.owner) : null
    return found && !row ? null : { key, home: home(), head, row }
  }
}
