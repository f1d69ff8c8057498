// Transfers the uploads that a prompt references to its session, or refuses the prompt.

import { type JsonObject, present } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import { mayOpen } from '@bridle/kernel/owner'
import type { AppPorts } from '../../app.ts'
import type { Access } from '../access/authenticate.ts'
import { viewerOf } from '../access/users.ts'

/** Adds the server's metadata to each reference. If one is invalid, nothing is claimed, and its index and advice are returned. */
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
    // Give the same answer for other callers' files as for unknown ones, so that ids cannot be probed.
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
