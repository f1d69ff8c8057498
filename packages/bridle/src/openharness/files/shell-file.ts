// The files of a turn, before an engine has them.
import type { AttachmentReference } from '../../surfaces/openharness/wire.ts'

/** A file to upload. */
export interface ShellFile {
  /** The whole file, of at most 25 MB for Bridle's own engine. */
  readonly content: Blob | Uint8Array
  /** The name of the file. Default: that of a `File`, else none. */
  readonly name?: string
  /** The media type, such as `image/png`. Default: that of a `Blob`, else `application/octet-stream`. */
  readonly type?: string
}

/** An attachment of a turn: a reference to a file that the engine can find, or a file that the shell uploads first. */
export type ShellAttachment = AttachmentReference | Blob | ShellFile

/** The options of an upload. */
export interface UploadCall {
  /** Aborted when nobody waits for the upload any more. */
  readonly signal: AbortSignal
  /** The tenant of the turn, where the shell's `auth` names one. */
  readonly tenantId?: string
}

/** Uploads a file, and resolves with the reference that a request names. It rejects with a `ShellFault`. */
export type FileUpload = (file: ShellFile, call: UploadCall) => Promise<AttachmentReference>

/** The file of an attachment; null = it is a reference already. */
export const fileOf = (attachment: ShellAttachment): ShellFile | null => {
  if (attachment instanceof Blob) return { content: attachment }
  return 'content' in attachment ? attachment : null
}
