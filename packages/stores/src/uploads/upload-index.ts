// Metadata of a tenant's uploads. A file is recorded before its bytes arrive and until they are erased, so none are orphaned.
import { type Key, keyText } from '@bridle/kernel/event'
import type { NewUpload, Upload } from '@bridle/kernel/ports/uploads'
import type { SqlDriver } from '../drivers/driver.ts'
import {
  CLEANUP_RETRY_MS,
  RELEASES_MAX,
  UPLOAD_KEPT_MS,
  UPLOADS_UNUSED_BYTES_MAX,
  UPLOADS_UNUSED_USER_BYTES_MAX,
} from '../limits.ts'
import { sharedWork } from '../shared-work.ts'

/** The bytes are in the bucket, or in an object of their own. */
export interface UploadPlace {
  readonly id: string
  readonly inBucket: boolean
}

export interface UploadReservation extends NewUpload {
  readonly sizeBytes: number
  readonly inBucket: boolean
}

export interface UploadIndexPorts {
  readonly driver: SqlDriver
  readonly now: () => number
  /** Sets the alarm for `cleanUp`; null clears it. */
  readonly ring: (at: number | null) => Promise<void>
  readonly erase: (place: UploadPlace) => Promise<void>
  readonly exists: (session: Key) => Promise<boolean>
}

interface UploadRow {
  readonly facts: string
  readonly status: 'arriving' | 'unused' | 'used' | 'gone'
  readonly in_bucket: number
  readonly due_at: number | null
}

export class UploadIndex {
  readonly #ports: UploadIndexPorts
  /** Resolves when unneeded files are erased or a retry is scheduled. */
  readonly cleanUp = sharedWork(() => this.#cleanUp())

  constructor(ports: UploadIndexPorts) {
    this.#ports = ports
  }

  /** Null if the tenant or user has too many unused files. */
  async reserve({ inBucket, ...file }: UploadReservation): Promise<Upload | null> {
    const { driver, now } = this.#ports
    this.#expire()
    const unused = driver.get<{ bytes: number | null; own: number | null }>(
      `SELECT SUM(size_bytes) AS bytes, SUM(size_bytes) FILTER (WHERE json_extract(facts, '$.owner') = ?) AS own
       FROM uploads WHERE status IN ('arriving', 'unused')`,
      file.owner,
    )
    if ((unused?.bytes ?? 0) + file.sizeBytes > UPLOADS_UNUSED_BYTES_MAX) return null
    // Without an owner, the SQL comparison never matches.
    if (file.owner !== null && (unused?.own ?? 0) + file.sizeBytes > UPLOADS_UNUSED_USER_BYTES_MAX) return null
    const upload: Upload = { ...file, id: `file-${crypto.randomUUID()}`, uploadedAt: now(), session: null }
    driver.run(
      "INSERT INTO uploads (id, facts, status, size_bytes, in_bucket, due_at) VALUES (?, ?, 'arriving', ?, ?, ?)",
      ...[upload.id, JSON.stringify(upload), upload.sizeBytes, inBucket ? 1 : 0, now() + UPLOAD_KEPT_MS],
    )
    await this.#schedule()
    return upload
  }

  /** Makes the file visible; its bytes are durable. */
  complete(id: string): void {
    this.#ports.driver.run("UPDATE uploads SET status = 'unused' WHERE id = ? AND status = 'arriving'", id)
  }

  /** The bytes did not arrive, or the file will not be used. */
  async discard(id: string): Promise<void> {
    this.#ports.driver.run("UPDATE uploads SET status = 'gone' WHERE id = ? AND status IN ('arriving', 'unused')", id)
    await this.cleanUp()
  }

  find(id: string): Upload | null {
    const row = this.#rowOf(id)
    return row && (row.status === 'used' || (row.status === 'unused' && !this.#isDue(row))) ? uploadOf(row) : null
  }

  /** Files are claimed before a session's first event, so a file whose session was never created is removed a day later. */
  async claim(id: string, session: Key): Promise<boolean> {
    const upload = this.find(id)
    if (!upload) return false
    if (upload.session) return keyText(upload.session) === keyText(session)
    const { driver, now } = this.#ports
    driver.run(
      "UPDATE uploads SET facts = ?, status = 'used', due_at = ? WHERE id = ?",
      ...[JSON.stringify({ ...upload, session }), now() + UPLOAD_KEPT_MS, id],
    )
    await this.#schedule()
    return true
  }

  locate(id: string): UploadPlace | null {
    const row = this.#rowOf(id)
    return row?.status === 'used' ? { id, inBucket: row.in_bucket === 1 } : null
  }

  /** Ignores files of other sessions. */
  async release(ids: readonly string[], session: Key): Promise<void> {
    const name = keyText(session)
    for (const id of ids) {
      const upload = this.find(id)
      if (upload?.session && keyText(upload.session) === name) this.#drop(id)
    }
    await this.cleanUp()
  }

  async #cleanUp(): Promise<void> {
    const { driver, erase } = this.#ports
    try {
      this.#expire()
      await this.#dropOrphans()
      for (;;) {
        const rows = driver.all<{ id: string; in_bucket: number }>(
          "SELECT id, in_bucket FROM uploads WHERE status = 'gone' LIMIT ?",
          RELEASES_MAX,
        )
        if (rows.length === 0) break
        for (const { id, in_bucket } of rows) {
          await erase({ id, inBucket: in_bucket === 1 })
          driver.run('DELETE FROM uploads WHERE id = ?', id)
        }
      }
    } catch {
      // Remaining files are still recorded, so the next alarm finds them.
    }
    await this.#schedule()
  }

  async #dropOrphans(): Promise<void> {
    const { driver, now, exists } = this.#ports
    const rows = driver.all<UploadRow>("SELECT * FROM uploads WHERE status = 'used' AND due_at < ?", now())
    for (const row of rows) {
      const { id, session } = uploadOf(row)
      if (session && (await exists(session))) driver.run('UPDATE uploads SET due_at = NULL WHERE id = ?', id)
      else this.#drop(id)
    }
  }

  #expire(): void {
    const { driver, now } = this.#ports
    driver.run("UPDATE uploads SET status = 'gone' WHERE status IN ('arriving', 'unused') AND due_at < ?", now())
  }

  #drop(id: string): void {
    this.#ports.driver.run("UPDATE uploads SET status = 'gone' WHERE id = ?", id)
  }

  #schedule(): Promise<void> {
    const { driver, now, ring } = this.#ports
    const next = driver.get<{ at: number | null }>("SELECT MIN(due_at) AS at FROM uploads WHERE status != 'gone'")
    const isLeft = driver.get("SELECT 1 FROM uploads WHERE status = 'gone' LIMIT 1") !== undefined
    // A time in the past is postponed, or the alarm would fire in a loop.
    const at = typeof next?.at === 'number' ? next.at + 1 : null
    const retryAt = now() + CLEANUP_RETRY_MS
    return ring(isLeft || (at !== null && at <= now()) ? retryAt : at)
  }

  #rowOf(id: string): UploadRow | undefined {
    return this.#ports.driver.get<UploadRow>('SELECT * FROM uploads WHERE id = ?', id)
  }

  #isDue({ due_at }: UploadRow): boolean {
    return due_at !== null && due_at < this.#ports.now()
  }
}

const uploadOf = ({ facts }: UploadRow): Upload => JSON.parse(facts) as Upload
