// Uploaded files in the attachments of a prompt: each becomes the session's own, or the prompt is refused.

import { type JsonObject, present } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import { mayOpen } from '@bridle/kernel/owner'
import type { AppPorts } from '../../app.ts'
import type { Access } from '../access/authenticate.ts'
import { viewerOf } from '../access/users.ts'

/** The references with the server's facts about each file. If one is wrong, nothing is claimed: the answer is its index, and the advice. */
export const claimUploads = async (
  { ports, access }: { readonly ports: Pick<AppPorts, 'uploads'>; readonly access: Pick<Access, 'user'> },
  key: Key,
  attachments: readonly JsonObject[],
): Promise<readonly JsonObject[] | { readonly index: number; readonly problem: string }> => {
  const viewer = await viewerOf(access)
  const references: JsonObject[] = []
  for (const [index, attachment] of attachments.entries()) {
    const refId = attachment.ref_id
    const upload = typeof refId === 'string' ? ((await ports.uploads?.find(refId, key.tenant)) ?? null) : null
    // An unknown file and another's get one answer: nobody learns which ids exist.
    const isOwn = upload !== null && upload.tenant === key.tenant && mayOpen(viewer, upload.owner)
    if (attachment.ref_id && !isOwn) return { index, problem: UNKNOWN }
    const { mimeType: mime_type, sizeBytes: size_bytes, name } = upload ?? {}
    references.push({ ...attachment, ...present({ mime_type, size_bytes, filename: name ?? undefined }) })
  }
  for (const [index, { ref_id }] of references.entries())
    if (ref_id && !(await ports.uploads?.claim(String(ref_id), key))) return { index, problem: USED }
  return references
}

const UNKNOWN = 'There is no such file. Upload it with POST /files, and send its ref_id within a day.'
const USED = 'Another session uses this file. Upload it again.'
