// What this object has in the bucket, by name. Each name is written down before anything is put under it, so that whatever
// becomes of the append, what no session needs is found again and deleted, as often as it takes.
import type { Key } from '../../kernel/event.ts'
import type { SqlDriver } from '../drivers/driver.ts'
import { CLEANUP_NAMES_MAX, CLEANUP_RETRY_MS } from '../limits.ts'
import { IS_UNREAD } from '../sqlite/removal.ts'
import type { ObjectBucket } from './platform-types.ts'

export interface BucketNamesPorts {
  readonly driver: SqlDriver
  readonly bucket: ObjectBucket | null
  /** Resolves when everything written so far is durable. */
  readonly sync: () => Promise<void>
  readonly now: () => number
  /** When to try again; null = nothing is left to delete. */
  readonly retry: (at: number | null) => void
}

export class BucketNames {
  readonly #ports: BucketNamesPorts
  /** Their append is under way. */
  readonly #reserved = new Set<string>()
  #cleaning: Promise<void> | null = null

  constructor(ports: BucketNamesPorts) {
    this.#ports = ports
  }

  /** Durable when it resolves. */
  async reserve(names: readonly string[]): Promise<void> {
    const { driver, sync } = this.#ports
    for (const name of names) {
      this.#reserved.add(name)
      driver.run('INSERT INTO bucket_names (name, sid) VALUES (?, NULL)', name)
    }
    await sync()
  }

  /** The append is written: in the turn that wrote it. */
  commit({ tenant, agent, id }: Key, names: readonly string[]): void {
    for (const name of names) {
      this.#ports.driver.run(
        `UPDATE bucket_names SET sid = (SELECT sid FROM sessions WHERE tenant = ? AND id = ? AND agent = ? AND removed = 0)
         WHERE name = ?`,
        ...[tenant, id, agent, name],
      )
      this.#reserved.delete(name)
    }
  }

  /** The append came to nothing, as far as is known. */
  release(names: readonly string[]): void {
    if (names.length === 0) return
    for (const name of names) this.#reserved.delete(name)
    try {
      this.scheduleCleanup()
    } catch {
      // A storage that fails has said so already; the next life looks for what is left.
    }
  }

  /** In the turn that made something unneeded: it is then looked after, whatever happens to this life of the object. */
  scheduleCleanup(): void {
    const { bucket, now, retry } = this.#ports
    if (bucket && this.#hasNames()) retry(now() + CLEANUP_RETRY_MS)
  }

  /** Resolves when what nobody needs is deleted, or could not be. */
  cleanUp(): Promise<void> {
    this.#cleaning ??= this.#cleanUp().finally(() => {
      this.#cleaning = null
    })
    return this.#cleaning
  }

  async #cleanUp(): Promise<void> {
    const { driver, bucket, retry } = this.#ports
    if (!bucket || !this.#hasNames()) return
    try {
      for (;;) {
        const names = this.#unneeded()
        if (names.length === 0) return retry(null)
        await bucket.delete(names)
        for (const name of names) driver.run('DELETE FROM bucket_names WHERE name = ?', name)
      }
    } catch {
      this.scheduleCleanup()
    }
  }

  /** Of a session that is gone, or removed without a branch that reads on in it; or of an append that never came to be. */
  #unneeded(): string[] {
    const rows = this.#ports.driver.all<{ name: string }>(
      `SELECT name FROM bucket_names AS b WHERE CASE WHEN sid IS NULL
         THEN NOT EXISTS (SELECT 1 FROM log WHERE instr(body, b.name) > 0)
         ELSE NOT EXISTS (SELECT 1 FROM sessions AS s WHERE s.sid = b.sid AND NOT ${IS_UNREAD}) END
       LIMIT ?`,
      CLEANUP_NAMES_MAX + this.#reserved.size,
    )
    return rows
      .map(({ name }) => name)
      .filter((name) => !this.#reserved.has(name))
      .slice(0, CLEANUP_NAMES_MAX)
  }

  #hasNames(): boolean {
    return this.#ports.driver.get('SELECT 1 FROM bucket_names LIMIT 1') !== undefined
  }
}
