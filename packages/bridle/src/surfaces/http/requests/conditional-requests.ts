// Conditional requests: an answer that a caller already has is not sent again, and parts of two versions are never mixed.
import { hashText } from '../../../kernel/json.ts'
import { digest, hex } from '../access/secrets.ts'
import { SHORT_JSON_CHARS, TAG_CHARS } from '../limits.ts'
import { Denial } from '../router/denial.ts'

/** Null = answer as usual. Only what If-Match wants counts strictly: a weak tag does not promise the same bytes. */
export const conditionalResponse = ({ headers }: Pick<Request, 'headers'>, tag: string): Response | Denial | null => {
  const wanted = headers.get('if-match')
  if (wanted !== null && !(wanted.trim() === '*' || tagsIn(wanted).includes(tag)))
    return new Denial(
      'precondition_failed',
      'The content has changed: it no longer has the tag that If-Match names. Read it again.',
      {
        etag: tag,
      },
    )
  const known = headers.get('if-none-match')
  if (known === null) return null
  const isKnown = known.trim() === '*' || tagsIn(known).some((each) => opaque(each) === opaque(tag))
  return isKnown ? new Response(null, { status: 304, headers: { etag: tag, ...revalidateHeaders } }) : null
}

/** Whether the range that the request asks for is one of this version. A date never is: there are only tags here. */
export const rangeMatchesTag = ({ headers }: Pick<Request, 'headers'>, tag: string): boolean => {
  const version = headers.get('if-range')
  return version === null || version.trim() === tag
}

/** Kept by the caller alone, and asked about before it is used again. */
export const revalidateHeaders = { 'cache-control': 'private, no-cache' } as const

/** JSON with a weak tag of its own text: a caller that has it already is told so in a few bytes. */
export const jsonWithTag = async (request: Pick<Request, 'headers'>, value: unknown): Promise<Response | Denial> => {
  const text = JSON.stringify(value)
  const tag = `W/"${text.length > SHORT_JSON_CHARS ? hex(await digest(text)).slice(0, TAG_CHARS) : shortHash(text)}"`
  return (
    conditionalResponse(request, tag) ??
    new Response(text, { headers: { 'content-type': 'application/json', etag: tag, ...revalidateHeaders } })
  )
}

const shortHash = (text: string): string => `${hashText(text)}${hashText(text, 1)}`

const tagsIn = (list: string): readonly string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []
const opaque = (tag: string): string => tag.replace(/^W\//, '')
