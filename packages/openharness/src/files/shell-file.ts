// The files of a turn, before an engine has them.
import type { AttachmentReference } from '@bridle/wire/openharness/wire'
import { ShellFault } from '../messages/fault.ts'
import { checkAttachment } from '../messages/request.ts'

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

/**
 * Resolves with references alone. Nothing is uploaded where one of the attachments is wrong. The same request with the same files uploads
 * nothing again: it would no longer be the same request.
 */
export type AttachmentUploads = (
  attachments: readonly ShellAttachment[],
  requestId: string,
  call: UploadCall,
) => Promise<readonly AttachmentReference[]>

export const createAttachmentUploads = (upload: FileUpload | undefined): AttachmentUploads => {
  const uploads = new WeakMap<object, { readonly requestId: string; readonly reference: AttachmentReference }>()
  return async (attachments, requestId, call) => {
    for (const [index, attachment] of attachments.entries()) {
      const file = fileOf(attachment)
      if (!file) checkAttachment(attachment as AttachmentReference, index)
      else if (!upload || !isContent(file.content)) throw notUploadable(index, upload !== undefined)
    }
    const references: AttachmentReference[] = []
    for (const attachment of attachments) {
      const file = fileOf(attachment)
      const known = file && uploads.get(file.content)
      if (!file || !upload) references.push(attachment as AttachmentReference)
      else if (known?.requestId === requestId) references.push(known.reference)
      else {
        const reference = await upload(file, call)
        uploads.set(file.content, { requestId, reference })
        references.push(reference)
      }
    }
    return references
  }
}

const isContent = (content: unknown): boolean => content instanceof Blob || content instanceof Uint8Array

const notUploadable = (index: number, canUpload: boolean): ShellFault => {
  const text = canUpload
    ? 'The content of a file is a Blob or a Uint8Array.'
    : 'This transport uploads no files: give references, or a transport that has `upload`.'
  return new ShellFault('invalid_options', text, { field: `attachments.${index}` })
}
