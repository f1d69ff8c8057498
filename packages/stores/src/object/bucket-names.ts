// The names that this object uses in the bucket. A name is stored before its text is put, so that a text whose append failed,
// or whose session is removed, is found and deleted, with retries until it is gone.

import type { Key } from '@bridle/kernel/event'
import { CLEANUP_RETRY_MS } from '../limits.ts'
import { sharedWork } from '../shared-work.ts'
import { IS_UNREAD } from '../sqlite/removal.ts'
import type { ClaimedUploadsPorts } from '../uploads/claimed-uploads.ts'
import type { ObjectBucket } from './platform-types.ts'

/** Names deleted at once; the bucket takes 1,000. */
const CLEANUP_NAMES_MAX = 500

export interface BucketNamesPorts extends Omit<ClaimedUploadsPorts, 'remote'> {
  readonly bucket: ObjectBucket | null
}

export class BucketNames {
  readonly #ports: BucketNamesPorts
  /** Names whose append has not ended yet. */
  readonly #reserved = new Set<string>()
  /** Resolves when unneeded texts are deleted, or a retry is scheduled. */
  readonly cleanUp = sharedWork(() => this.#cleanUp())

  constructor(ports: BucketNamesPorts) {
    this.#ports = ports
  }

  /** The names are durable when this resolves. */
  async reserve(names: readonly string[]): Promise<void> {
    const { driver, sync } = this.#ports
    for (const name of names) {
      this.#reserved.add(name)
      driver.run('INSERT INTO bucket_names (name, sid) VALUES (?, NULL)', name)
    }
    await sync()
  }

  /** Binds the names to their session. Called in the turn that wrote the append, so that both are one write. */
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

  /** The append failed, or its outcome is unknown: `cleanUp` looks into the log before it deletes. */
  release(names: readonly string[]): void {
    if (names.length === 0) return
    for (const name of names) this.#reserved.delete(name)
    try {
      this.scheduleCleanup()
    } catch {
      // A storage that fails has already failed the append; the next start of the object cleans up.
    }
  }

  /** Called in the turn that removed a session, so that the alarm is durable with it and survives this object's memory. */
  scheduleCleanup(): void {
    const { bucket, now, retry } = this.#ports
    if (bucket && this.#hasNames()) retry(now() + CLEANUP_RETRY_MS)
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

  /** Names of sessions that nobody reads any more, and of appends that are not in the log. */
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
