// Uploads the files of a turn. The same request with the same files uploads nothing again: it would no longer be the same request.
import type { AttachmentReference } from '../../surfaces/openharness/wire.ts'
import { ShellFault } from '../fault.ts'
import { checkAttachment } from '../request.ts'
import { type FileUpload, fileOf, type ShellAttachment, type UploadCall } from './shell-file.ts'

interface FileRecord {
  readonly requestId: string
  readonly reference: AttachmentReference
}

/** Resolves with references alone. Nothing is uploaded where one of the attachments is wrong. */
export type AttachmentUploads = (
  attachments: readonly ShellAttachment[],
  requestId: string,
  call: UploadCall,
) => Promise<readonly AttachmentReference[]>

export const createAttachmentUploads = (upload: FileUpload | undefined): AttachmentUploads => {
  const uploads = new WeakMap<object, FileRecord>()
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
