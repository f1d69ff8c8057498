// Kept for a day, or as long as the session that uses them.
import { type Key, keyText } from '@bridle/kernel/event'
import type { NewUpload, Upload, Uploads } from '@bridle/kernel/ports/uploads'
import { UPLOAD_KEPT_MS, UPLOADS_UNUSED_BYTES_MAX, UPLOADS_UNUSED_USER_BYTES_MAX } from '../limits.ts'
import type { UploadFolder } from './upload-folder.ts'

/** All metadata is in memory, about 300 bytes per file. */
export class StoredUploads implements Uploads {
  readonly #folder: UploadFolder
  readonly #now: () => number
  readonly #uploads = new Map<string, Upload>()

  /** Does not load existing files; see `open`. */
  constructor(folder: UploadFolder, now: () => number) {
    this.#folder = folder
    this.#now = now
  }

  static async open(folder: UploadFolder, now: () => number): Promise<StoredUploads> {
    const uploads = new StoredUploads(folder, now)
    for (const upload of await folder.list()) uploads.#uploads.set(upload.id, upload)
    return uploads
  }

  async add(file: NewUpload, bytes: Uint8Array): Promise<Upload | null> {
    await this.removeExpired()
    if (this.#hasTooManyUnused(file, bytes.byteLength)) return null
    const id = `file-${crypto.randomUUID()}`
    const upload: Upload = { ...file, id, sizeBytes: bytes.byteLength, uploadedAt: this.#now(), session: null }
    // Counts from here on, so that concurrent uploads share the limit.
    this.#uploads.set(id, upload)
    try {
      await this.#folder.write(id, bytes)
      await this.#folder.describe(upload)
    } catch (error) {
      this.#uploads.delete(id)
      throw error
    }
    return upload
  }

  find(id: string): Upload | null {
    const upload = this.#uploads.get(id)
    return upload && !this.#isExpired(upload) ? upload : null
  }

  async claim(id: string, session: Key): Promise<boolean> {
    const upload = this.find(id)
    if (!upload) return false
    if (upload.session) return keyText(upload.session) === keyText(session)
    const claimed = { ...upload, session }
    this.#uploads.set(id, claimed)
    await this.#folder.describe(claimed)
    return true
  }

  async read(id: string, tenant: string): Promise<Uint8Array | null> {
    const upload = this.#uploads.get(id)
    return upload?.session && upload.tenant === tenant ? this.#folder.read(id) : null
  }

  async discard(id: string, tenant: string): Promise<void> {
    const upload = this.#uploads.get(id)
    if (upload?.tenant === tenant && upload.session === null) await this.#remove(id)
  }

  async release(session: Key): Promise<void> {
    const name = keyText(session)
    await this.#removeAll((upload) => upload.session !== null && keyText(upload.session) === name)
  }

  /** Run at start. Young files are kept: their session may be about to be created. */
  async removeOrphans(exists: (session: Key) => Promise<boolean>): Promise<void> {
    const old = [...this.#uploads.values()].filter((upload) => this.#isOld(upload))
    for (const { id, session } of old) if (session && !(await exists(session))) await this.#remove(id)
    await this.removeExpired()
  }

  async removeExpired(): Promise<void> {
    await this.#removeAll((upload) => this.#isExpired(upload))
  }

  async #removeAll(isGone: (upload: Upload) => boolean): Promise<void> {
    for (const upload of this.#uploads.values()) if (isGone(upload)) await this.#remove(upload.id)
  }

  async #remove(id: string): Promise<void> {
    this.#uploads.delete(id)
    await this.#folder.remove(id)
  }

  #hasTooManyUnused({ tenant, owner }: NewUpload, sizeBytes: number): boolean {
    let all = sizeBytes
    let own = sizeBytes
    for (const upload of this.#uploads.values()) {
      if (upload.tenant !== tenant || upload.session !== null) continue
      all += upload.sizeBytes
      if (upload.owner === owner) own += upload.sizeBytes
    }
    return all > UPLOADS_UNUSED_BYTES_MAX || (owner !== null && own > UPLOADS_UNUSED_USER_BYTES_MAX)
  }

  #isOld = ({ uploadedAt }: Upload): boolean => this.#now() - uploadedAt > UPLOAD_KEPT_MS

  #isExpired = (upload: Upload): boolean => upload.session === null && this.#isOld(upload)
}
