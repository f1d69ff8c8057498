// The documents of a search that are put before the model: as many as fit, each with its tokens and the reason why.
import { present } from '../../kernel/json.ts'
import { truncate } from '../../kernel/text/truncate.ts'
import { TOKEN_CHARS } from '../loop/context/limits.ts'
import { DOCUMENT_LABEL_CHARS } from './limits.ts'

/** A document that a search has found. */
export interface RetrievalDocument {
  /** Names the document in citations. */
  readonly id: string
  /** The text that the model reads. */
  readonly text: string
  /** The title that people and the model read. */
  readonly title?: string
  /** The address where people find the document. */
  readonly url?: string
  /** The reason why the document was found, for people. */
  readonly why?: string
}

/** A document as the model reads it. */
export type PackedDocument = RetrievalDocument & { readonly tokens: number; readonly why: string }

export const documentText = ({ id, title, text }: PackedDocument): string =>
  `<document id=${JSON.stringify(id)}${title === undefined ? '' : ` title=${JSON.stringify(title)}`}>\n${inside(text)}\n</document>`

/** A text must not look as if its document ended, and another one began. */
const inside = (text: string): string => text.replaceAll(/<(?=\/?document)/gi, '&lt;')

export interface ContextPack {
  readonly used: readonly PackedDocument[]
  readonly leftOut: readonly { readonly id: string; readonly why: string }[]
}

/** The documents that fit, the last one cut, and the first ones that do not. */
export const contextPack = (found: unknown, limit: number, maxTokens: number): ContextPack => {
  if (!Array.isArray(found) || !found.every(isDocument))
    throw new TypeError('search returns a list of { id, text }, with title, url and why where there are any.')
  const used: PackedDocument[] = []
  const leftOut: { readonly id: string; readonly why: string }[] = []
  let charsLeft = maxTokens * TOKEN_CHARS
  for (const document of found.slice(0, limit * 2)) {
    const { id, title, url, why = 'found by the search' } = labelled(document)
    if (used.length >= limit) leftOut.push({ id, why: `more than ${limit} documents` })
    else if (charsLeft <= 0) leftOut.push({ id, why: `more than ${maxTokens} tokens` })
    else {
      const text = truncate(document.text, charsLeft)
      charsLeft -= text.length
      const isWhole = text.length === document.text.length
      const cut = `cut to ${text.length} of ${document.text.length} characters`
      const tokens = Math.ceil(text.length / TOKEN_CHARS)
      used.push(
        present({
          id,
          title,
          url,
          tokens,
          why: isWhole ? why : `${why}; ${cut}`,
          text: isWhole ? text : `${text}\n[${cut}]`,
        }),
      )
    }
  }
  return { used, leftOut }
}

const isDocument = (value: Partial<RetrievalDocument> | null): value is RetrievalDocument =>
  typeof value?.id === 'string' &&
  typeof value.text === 'string' &&
  [value.title, value.url, value.why].every((label) => label === undefined || typeof label === 'string')

const labelled = ({ id, title, url, why }: RetrievalDocument) => {
  const short = (label: string | undefined) => (label === undefined ? undefined : truncate(label, DOCUMENT_LABEL_CHARS))
  return { id: truncate(id, DOCUMENT_LABEL_CHARS), title: short(title), url: short(url), why: short(why) }
}
