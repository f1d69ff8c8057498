import type { AttachmentReference } from '@bridle/wire/openharness/wire'
import { ShellFault } from '../messages/fault.ts'
import { checkAttachment } from '../messages/request.ts'

/** A file to upload. */
export interface ShellFile {
  /** File content. Bridle's engine accepts up to 25 MB. */
  readonly content: Blob | Uint8Array
  /** File name. Default: the name of a `File`, otherwise none. */
  readonly name?: string
  /** Media type, such as `image/png`. Default: the type of a `Blob`, otherwise `application/octet-stream`. */
  readonly type?: string
}

/** An attachment of a turn: a reference that the engine can resolve, or a file that the shell uploads first. */
export type ShellAttachment = AttachmentReference | Blob | ShellFile

/** Options of an upload. */
export interface UploadCall {
  /** Aborted when the upload is no longer needed. */
  readonly signal: AbortSignal
  /** Tenant of the turn, if `auth` names one. */
  readonly tenantId?: string
}

/** Uploads a file and resolves with its reference. Rejects with a `ShellFault`. */
export type FileUpload = (file: ShellFile, call: UploadCall) => Promise<AttachmentReference>

/** Null if the attachment is already a reference. */
export const fileOf = (attachment: ShellAttachment): ShellFile | null => {
  if (attachment instanceof Blob) return { content: attachment }
  return 'content' in attachment ? attachment : null
}

/** Uploads nothing if any attachment is invalid. A retry reuses its uploads: new references would make it another request. */
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
