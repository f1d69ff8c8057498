// The log holds only the id of an uploaded file; the bytes stay here.
import type { Key } from '../event.ts'

export interface Upload {
  readonly id: string
  readonly tenant: string
  /** Written like the owner of a session. Null if the credential names no user. */
  readonly owner: string | null
  readonly name: string | null
  readonly mimeType: string
  readonly sizeBytes: number
  readonly uploadedAt: number
  /** The session that uses the file, if any. */
  readonly session: Key | null
}

export type NewUpload = Omit<Upload, 'id' | 'uploadedAt' | 'session' | 'sizeBytes'>

export interface Uploads {
  /** Resolves when the file is durable. Null if the tenant or user has too many unused files. */
  add(file: NewUpload, bytes: Uint8Array): Promise<Upload | null>
  /** Null if unknown to the tenant or expired. */
  find(id: string, tenant: string): Upload | null | Promise<Upload | null>
  /** Ties the file's lifetime to the session. False if it is gone or another session uses it. */
  claim(id: string, session: Key): Promise<boolean>
  /** Removes the file unless a session uses it. */
  discard(id: string, tenant: string): Promise<void>
  /** Null unless the tenant has the file and a session uses it. */
  read(id: string, tenant: string): Promise<Uint8Array | null>
}
