// Files that callers have uploaded. A prompt names one by its id, and the log holds the reference: the bytes stay here.
import type { Key } from '../event.ts'

/** An uploaded file without its bytes. */
export interface Upload {
  readonly id: string
  readonly tenant: string
  /** The user that uploaded the file, written like the owner of a session; null = the credential named no user. */
  readonly owner: string | null
  readonly name: string | null
  readonly mimeType: string
  readonly sizeBytes: number
  readonly uploadedAt: number
  /** The session that uses the file; null = none does yet. */
  readonly session: Key | null
}

/** The facts about a file that its uploader brings. */
export type NewUpload = Omit<Upload, 'id' | 'uploadedAt' | 'session' | 'sizeBytes'>

export interface Uploads {
  /** Resolves when the file is durable. Null = the tenant or the user keeps too many files that no session uses. */
  add(file: NewUpload, bytes: Uint8Array): Promise<Upload | null>
  /** Null = the tenant has no such file, or it has expired. */
  find(id: string, tenant: string): Upload | null | Promise<Upload | null>
  /** From here on the file lives as long as the session. False = it is gone, or another session uses it. */
  claim(id: string, session: Key): Promise<boolean>
  /** Removes a file that no session uses. Any other stays. */
  discard(id: string, tenant: string): Promise<void>
  /** Null = the file is gone, or of another tenant, or no session uses it. */
  read(id: string, tenant: string): Promise<Uint8Array | null>
}
