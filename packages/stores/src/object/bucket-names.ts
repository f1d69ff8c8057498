// A name is stored before its text is put, so that texts of failed appends and removed sessions can be found and deleted.

import type { Key } from '@bridle/kernel/event'
import { CLEANUP_RETRY_MS } from '../limits.ts'
import { sharedWork } from '../shared-work.ts'
import { IS_UNREAD } from '../sqlite/removal.ts'
import type { ClaimedUploadsPorts } from '../uploads/claimed-uploads.ts'
import type { ObjectBucket } from './platform-types.ts'

/** Bucket deletes accept up to 1,000 names. */
const CLEANUP_NAMES_MAX = 500

export interface BucketNamesPorts extends Omit<ClaimedUploadsPorts, 'remote'> {
  readonly bucket: ObjectBucket | null
}

export class BucketNames {
  readonly #ports: BucketNamesPorts
  readonly #reserved = new Set<string>()
  /** Resolves when unneeded texts are deleted or a retry is scheduled. */
  readonly cleanUp = sharedWork(() => this.#cleanUp())

  constructor(ports: BucketNamesPorts) {
    this.#ports = ports
  }

  /** Resolves when the names are durable. */
  async reserve(names: readonly string[]): Promise<void> {
    const { driver, sync } = this.#ports
    for (const name of names) {
      this.#reserved.add(name)
      driver.run('INSERT INTO bucket_names (name, sid) VALUES (?, NULL)', name)
    }
    await sync()
  }

  /** Assigns names to their session. Call in the turn of the append, so that both are one write. */
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

  /** Call if the append failed or its outcome is unknown. `cleanUp` checks the log before deleting. */
  release(names: readonly string[]): void {
    if (names.length === 0) return
    for (const name of names) this.#reserved.delete(name)
    try {
      this.scheduleCleanup()
    } catch {
      // The append has failed already; the object cleans up at its next start.
    }
  }

  /** Call in the turn that removes a session, so that the alarm is durable with the removal. */
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

  /** Names of unread sessions, and of appends that are not in the log. */
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
