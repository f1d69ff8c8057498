// Attachments are references only: an inlined file would end up in the log and in every client.
import { type JsonObject, present } from '@bridle/events/json'
import { isDataAddress } from '@bridle/kernel/text/data-address'
import type { AttachmentReference } from '@bridle/wire/openharness/wire'
import type { Denial } from '../http/denials/denial.ts'
import { invalidField } from './errors.ts'

/** A person attaches a handful. */
const ATTACHMENTS_MAX = 50
/** Twice the longest signed bucket URL, but less than the smallest inlined picture. */
const REFERENCE_CHARS_MAX = 4_096
/** A longer name or id of base64 characters is an inlined file. File systems allow 255. */
const ENCODED_CHARS_MAX = 255

/** Drops unknown fields, which may contain the file itself. */
export const parseAttachments = (attachments: readonly AttachmentReference[]): readonly JsonObject[] | Denial => {
  if (attachments.length > ATTACHMENTS_MAX)
    return invalidField('context.attachments', `Send at most ${ATTACHMENTS_MAX} attachments.`)
  const references: JsonObject[] = []
  for (const [index, { ref_id, uri, asset_id, mime_type, filename, size_bytes }] of attachments.entries()) {
    const field = `context.attachments.${index}`
    const reference = present({ ref_id, uri, asset_id, mime_type, filename, size_bytes })
    if (!ref_id && !uri && !asset_id) return invalidField(field, 'Name a ref_id, a uri or an asset_id.')
    if (uri !== undefined && isDataAddress(uri))
      return invalidField(`${field}.uri`, 'Send a reference: a message does not carry the file itself.')
    for (const [name, value] of Object.entries(reference))
      if (String(value).length > REFERENCE_CHARS_MAX)
        return invalidField(`${field}.${name}`, `Send a reference of at most ${REFERENCE_CHARS_MAX} characters.`)
    for (const [name, value] of Object.entries(reference))
      if (name !== 'uri' && isEncodedFile(String(value)))
        return invalidField(`${field}.${name}`, 'Send a reference: a message does not carry the file itself.')
    references.push(reference)
  }
  return references
}

/** For names and ids only, because signed URLs are long too. */
const isEncodedFile = (value: string): boolean =>
  value.length > ENCODED_CHARS_MAX && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)

/** Removes credentials: anyone who reads a signed URL in the log could fetch the file. */
export const withoutSignature = (attachment: JsonObject): JsonObject => {
  const url = typeof attachment.uri === 'string' ? URL.parse(attachment.uri) : null
  const isSigned = url !== null && [...url.searchParams.keys()].some((name) => CREDENTIAL.test(name))
  if (url === null || !(isSigned || url.password !== '')) return attachment
  url.search = isSigned ? '' : url.search
  url.username = ''
  url.password = ''
  return { ...attachment, uri: url.href }
}

/** Parameters that grant access, such as `X-Amz-Signature`, `sig`, `access_token`. Others may identify the file. */
const CREDENTIAL = /(sig|signature|token|secret|password|credential|hmac|auth|api[-_]?key)$|^(key|policy)$/i
