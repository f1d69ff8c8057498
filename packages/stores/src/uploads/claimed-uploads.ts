// Each upload is recorded before it is claimed, so that removing its session also removes the file, with retries.
import type { Key } from '@bridle/kernel/event'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import type { SqlDriver } from '../drivers/driver.ts'
import { CLEANUP_RETRY_MS, RELEASES_MAX } from '../limits.ts'
import { sharedWork } from '../shared-work.ts'
import type { RemoteUploads } from './remote-uploads.ts'

export interface ClaimedUploadsPorts {
  readonly driver: SqlDriver
  readonly remote: RemoteUploads
  readonly sync: () => Promise<void>
  readonly now: () => number
  /** When to retry; null if nothing is left to do. */
  readonly retry: (at: number | null) => void
}

interface ClaimRow extends Key {
  readonly session: string
  readonly released: number
}

export class ClaimedUploads implements Uploads {
  readonly #ports: ClaimedUploadsPorts
  readonly add: Uploads['add']
  readonly find: Uploads['find']
  readonly discard: Uploads['discard']
  readonly read: Uploads['read']
  /** Resolves when the files of removed sessions are gone or a retry is scheduled. */
  readonly cleanUp = sharedWork(() => this.#cleanUp())

  constructor(ports: ClaimedUploadsPorts) {
    const { remote } = ports
    this.#ports = ports
    this.add = remote.add
    this.find = remote.find
    this.discard = remote.discard
    this.read = remote.read
  }

  async claim(id: string, session: Key): Promise<boolean> {
    const { driver, remote, sync } = this.#ports
    const row = driver.get<ClaimRow>('SELECT * FROM claimed_uploads WHERE id = ?', id)
    // A branch in this object is another session, and a recreated session must not inherit the files of a removed one.
    if (row) return row.released === 0 && isOf(row, session) && remote.claim(id, session)
    driver.run(
      'INSERT INTO claimed_uploads (id, tenant, agent, session, released) VALUES (?, ?, ?, ?, 0)',
      ...[id, session.tenant, session.agent, session.id],
    )
    await sync()
    const isClaimed = await remote.claim(id, session)
    if (!isClaimed) driver.run('DELETE FROM claimed_uploads WHERE id = ? AND released = 0', id)
    return isClaimed
  }

  /** Call in the turn that removes the session, so that the alarm is durable with the removal. */
  release({ tenant, agent, id }: Key): void {
    const { driver, now, retry } = this.#ports
    if (!driver.get('SELECT 1 FROM claimed_uploads LIMIT 1')) return
    driver.run(
      'UPDATE claimed_uploads SET released = 1 WHERE tenant = ? AND agent = ? AND session = ?',
      ...[tenant, agent, id],
    )
    if (this.#released().length > 0) retry(now() + CLEANUP_RETRY_MS)
  }

  async #cleanUp(): Promise<void> {
    const { driver, remote, now, retry } = this.#ports
    try {
      for (let rows = this.#released(); rows.length > 0; rows = this.#released()) {
        const [first] = rows
        const key: Key = { tenant: first?.tenant ?? '', agent: first?.agent ?? '', id: first?.session ?? '' }
        const ids = rows.filter((row) => isOf(row, key)).map(({ id }) => id)
        await remote.release(ids, key)
        for (const id of ids) driver.run('DELETE FROM claimed_uploads WHERE id = ?', id)
        if (this.#released().length === 0) retry(null)
      }
    } catch {
      retry(now() + CLEANUP_RETRY_MS)
    }
  }

  #released(): ClaimRow[] {
    return this.#ports.driver.all<ClaimRow>('SELECT * FROM claimed_uploads WHERE released = 1 LIMIT ?', RELEASES_MAX)
  }
}

const isOf = (row: ClaimRow, { tenant, agent, id }: Key): boolean =>
  row.tenant === tenant && row.agent === agent && row.session === id
