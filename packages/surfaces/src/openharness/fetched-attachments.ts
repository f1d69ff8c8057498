// Attachments given as URLs are fetched if the operator allows it. Each becomes an upload, which the log references.

import type { JsonObject } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import { viewerOf } from '../http/access/users.ts'
import { Denial, isDenial } from '../http/denials/denial.ts'
import { FILENAME_CHARS_MAX } from '../http/limits.ts'
import { decodedOrNull } from '../http/router/path-pattern.ts'
import type { RouteCall } from '../http/router/route.ts'
import { engineError, invalidField } from './errors.ts'

/** Fetched sequentially, so that the shell still gets its answer in time. */
const FETCHED_FILES_MAX = 5
/** For all files of a message, of the 50 seconds that a shell waits. */
const FETCHED_FILES_MS = 30_000

/** Adds the `ref_id` of each fetched file. A URL that the operator does not allow stays as it is. */
export const fetchAttachments = async (
  call: RouteCall<unknown, unknown>,
  key: Key,
  attachments: readonly JsonObject[],
  id: IdempotencyKey | null,
): Promise<readonly JsonObject[] | Denial> => {
  const { fileFetcher, uploads, host, clock } = call.ports
  const isFetched = ({ ref_id, uri }: JsonObject) => !ref_id && typeof uri === 'string' && fileFetcher?.allows(uri)
  const places = [...attachments.keys()].filter((index) => isFetched(attachments[index] as JsonObject))
  if (!fileFetcher || !uploads || places.length === 0) return attachments
  if (places.length > FETCHED_FILES_MAX)
    return invalidField(fieldOf(places[FETCHED_FILES_MAX]), `Send at most ${FETCHED_FILES_MAX} addresses to fetch.`)
  // A retry gets the first answer, even if the URLs have changed since.
  if (id && (await (await host.find(key))?.hasAnswered(id.commandId))) return attachments
  const references = [...attachments]
  const end = clock.now() + FETCHED_FILES_MS
  for (const index of places) {
    const reference =
      clock.now() < end
        ? await fetchAttachment(call, references[index] as JsonObject, fieldOf(index))
        : unavailable('The files could not be fetched in time. Send them again.', fieldOf(index))
    if (isDenial(reference)) {
      await discardFetched(call, attachments, references)
      return reference
    }
    references[index] = reference
  }
  return references
}

/** Frees the tenant's upload quota after a message was refused. */
export const discardFetched = async (
  { ports, access }: RouteCall<unknown, unknown>,
  attachments: readonly JsonObject[],
  references: readonly JsonObject[],
): Promise<void> => {
  for (const [index, { ref_id }] of references.entries())
    if (ref_id && !attachments[index]?.ref_id) await ports.uploads?.discard(String(ref_id), access.tenant)
}

const fetchAttachment = async (
  { ports, access }: RouteCall<unknown, unknown>,
  attachment: JsonObject,
  field: string,
): Promise<JsonObject | Denial> => {
  const { uri: text, filename } = attachment
  const uri = new URL(String(text))
  const file = await ports.fileFetcher?.fetch(uri.href)
  if (!file) return attachment
  if ('outcome' in file)
    return file.outcome === 'refused' ? invalidField(field, file.problem) : unavailable(file.problem, field)
  const name = (typeof filename === 'string' && filename) || lastSegment(uri)
  const upload = await ports.uploads?.add(
    {
      tenant: access.tenant,
      owner: await viewerOf(access),
      name: name.slice(0, FILENAME_CHARS_MAX).toWellFormed() || null,
      mimeType: file.mimeType,
    },
    file.bytes,
  )
  if (!upload) return new Denial('conflict', 'Too many files wait to be used. Use some of them, or try tomorrow.')
  // A signed URL's query would let anyone who reads it fetch the file.
  return { ...attachment, ref_id: upload.id, uri: `${uri.origin}${uri.pathname}` }
}

const fieldOf = (index: number | undefined): string => `context.attachments.${index}.uri`

const unavailable = (problem: string, field: string): Denial =>
  engineError('engine_unavailable', problem, { field }, { 'retry-after': '1' })

const lastSegment = ({ pathname }: URL): string => {
  const segment = pathname.split('/').at(-1) ?? ''
  return decodedOrNull(segment) ?? segment
}
