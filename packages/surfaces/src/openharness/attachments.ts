// Attachments are references. A message that brings a file itself would put it into the log, and into every client.
import { type JsonObject, present } from '@bridle/events/json'
import { isDataAddress } from '@bridle/kernel/text/data-address'
import type { AttachmentReference } from '@bridle/wire/openharness/wire'
import type { Denial } from '../http/denials/denial.ts'
import { invalidField } from './errors.ts'

/** Attachments of one message: a person attaches a handful. */
const ATTACHMENTS_MAX = 50
/** A field of an attachment: the longest signed address of a bucket is half of that, and the smallest picture is longer. */
const REFERENCE_CHARS_MAX = 4_096
/** A name or an id of base64 letters alone: a longer one is a file that somebody put into the message. File systems take 255. */
const ENCODED_CHARS_MAX = 255

/** The known fields of each attachment: an unknown one may hold the file itself. */
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

/** Signed addresses are long, too, so this is for names and ids. */
const isEncodedFile = (value: string): boolean =>
  value.length > ENCODED_CHARS_MAX && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)

/** The address without credentials: anyone who reads a signed address in the log could fetch the file. */
export const withoutSignature = (attachment: JsonObject): JsonObject => {
  const url = typeof attachment.uri === 'string' ? URL.parse(attachment.uri) : null
  const isSigned = url !== null && [...url.searchParams.keys()].some((name) => CREDENTIAL.test(name))
  if (url === null || !(isSigned || url.password !== '')) return attachment
  url.search = isSigned ? '' : url.search
  url.username = ''
  url.password = ''
  return { ...attachment, uri: url.href }
}

/** Names of parameters that grant access, such as `X-Amz-Signature`, `sig`, `access_token`. Other parameters may identify the file. */
const CREDENTIAL = /(sig|signature|token|secret|password|credential|hmac|auth|api[-_]?key)$|^(key|policy)$/i
