// Attachments that come as addresses, where the operator lets the server fetch them: each becomes an uploaded file, and the log has its
// reference.

import type { JsonObject } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import { viewerOf } from '../http/access/users.ts'
import { Denial, isDenial } from '../http/denials/denial.ts'
import { FILENAME_CHARS_MAX } from '../http/limits.ts'
import { decodedOrNull } from '../http/router/path-pattern.ts'
import type { RouteCall } from '../http/router/route.ts'
import { engineError, invalidField } from './errors.ts'

/** Files that the server fetches for one message, one after the other: a handful, and the shell still gets its answer in time. */
const FETCHED_FILES_MAX = 5
/** The time for all files of one message; the answer to a shell waits 50 seconds. */
const FETCHED_FILES_MS = 30_000

/** The attachments with the `ref_id` of each fetched file. An address that the operator does not allow stays an address. */
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
  // A request that is repeated gets its first answer, whatever became of the addresses since.
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

/** Removes the files that were fetched for a message that is refused, so that they do not fill the room of the tenant's uploads. */
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
  // The query of a signed address lets anybody who reads it fetch the file.
  return { ...attachment, ref_id: upload.id, uri: `${uri.origin}${uri.pathname}` }
}

const fieldOf = (index: number | undefined): string => `context.attachments.${index}.uri`

const unavailable = (problem: string, field: string): Denial =>
  engineError('engine_unavailable', problem, { field }, { 'retry-after': '1' })

const lastSegment = ({ pathname }: URL): string => {
  const segment = pathname.split('/').at(-1) ?? ''
  return decodedOrNull(segment) ?? segment
}
