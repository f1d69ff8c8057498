// A caller with the current version gets a 304, and range requests never mix two versions.
import { hashText } from '@bridle/events/json'
import { digest, hex } from '../access/secrets.ts'
import { jsonText } from '../answers/json-response.ts'
import { Denial } from '../denials/denial.ts'

/** Shorter JSON is hashed in this thread: an asynchronous digest takes longer. */
const SHORT_JSON_CHARS = 65_536
/** 128 bits: two texts of a session never share a tag. */
const TAG_CHARS = 32

/** Null if the conditions hold. If-Match needs a strong comparison: a weak tag does not promise identical bytes. */
export const conditionalResponse = ({ headers }: Pick<Request, 'headers'>, tag: string): Response | Denial | null => {
  const expected = headers.get('if-match')
  if (expected !== null && !(expected.trim() === '*' || tagsIn(expected).includes(tag)))
    return new Denial(
      'precondition_failed',
      'The content has changed: it no longer has the tag that If-Match names. Read it again.',
      {
        etag: tag,
      },
    )
  const cached = headers.get('if-none-match')
  if (cached === null) return null
  const isCurrent = cached.trim() === '*' || tagsIn(cached).some((each) => opaque(each) === opaque(tag))
  return isCurrent ? new Response(null, { status: 304, headers: { etag: tag, ...revalidateHeaders } }) : null
}

/** If-Range with a date never matches, because versions have only tags. */
export const rangeMatchesTag = ({ headers }: Pick<Request, 'headers'>, tag: string): boolean => {
  const version = headers.get('if-range')
  return version === null || version.trim() === tag
}

/** Only the caller may cache the response, and must revalidate it. */
export const revalidateHeaders = { 'cache-control': 'private, no-cache' } as const

/** JSON with a weak tag of its text. If it is unchanged, the caller gets a 304. */
export const jsonWithTag = async <T = never>(
  request: Pick<Request, 'headers'>,
  value: NoInfer<T>,
): Promise<Response | Denial> => {
  const text = jsonText(value as object)
  const tag = `W/"${text.length > SHORT_JSON_CHARS ? hex(await digest(text)).slice(0, TAG_CHARS) : shortHash(text)}"`
  return (
    conditionalResponse(request, tag) ??
    new Response(text, { headers: { 'content-type': 'application/json', etag: tag, ...revalidateHeaders } })
  )
}

const shortHash = (text: string): string => `${hashText(text)}${hashText(text, 1)}`

const tagsIn = (list: string): readonly string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []
const opaque = (tag: string): string => tag.replace(/^W\//, '')
