// The files that came with a prompt. The log has a reference to each; the bytes are read where a run asks for them.

import type { Json } from '@bridle/events/json'
import { fileReferences } from '@bridle/kernel/file-references'
import type { Uploads } from '@bridle/kernel/ports/uploads'

/** A file that came with a prompt. Its bytes are the same at every reading, also in another process. */
export interface Attachment {
  /** The name of the file; null where nobody named it. */
  readonly name: string | null
  /** The media type, as its uploader named it. */
  readonly mimeType: string
  /** The length in bytes. */
  readonly sizeBytes: number
  /** The id of the upload. */
  readonly refId: string
  /** The whole file. */
  bytes(): Promise<Uint8Array>
  /** The file as UTF-8. */
  text(): Promise<string>
}

export const attachmentsOf = (
  input: Json | undefined,
  { uploads, tenant }: { readonly uploads?: Pick<Uploads, 'read'> | undefined; readonly tenant: string },
): readonly Attachment[] =>
  fileReferences(input).map((reference) => {
    const refId = String(reference.ref_id)
    const bytes = async () => {
      const content = (await uploads?.read(refId, tenant)) ?? null
      if (content === null) throw new Error(`The file ${refId} is gone.`)
      return content
    }
    return {
      name: typeof reference.filename === 'string' ? reference.filename : null,
      mimeType: typeof reference.mime_type === 'string' ? reference.mime_type : 'application/octet-stream',
      sizeBytes: Number(reference.size_bytes ?? 0),
      refId,
      bytes,
      text: async () => new TextDecoder().decode(await bytes()),
    }
  })
