// A text with markers in it, as pieces. A marker parts a paragraph behind a word; it never parts a list, a table or a piece of code,
// but stands behind it.
import type { Token } from 'marked'
import { blocksOf } from '../../../ui/markdown/blocks.ts'
import type { Marker, TextMarker } from '../thread-index.ts'

export interface TextPiece {
  readonly text: string
  /** The markers behind the piece. */
  readonly markers: readonly Marker[]
}

/** Cuts by place that no further text can move. A growing text keeps them, so that its beginning is not read for each token. */
export type SettledCuts = Map<number, number>

export const textPieces = (text: string, marks: readonly TextMarker[], settled: SettledCuts): readonly TextPiece[] => {
  const pieces: { text: string; markers: Marker[] }[] = []
  let from = 0
  for (const { at, marker } of marks) {
    const cut = at <= from ? from : (settled.get(at) ?? cutIn(text, from, at, settled))
    const last = pieces.at(-1)
    if (last && cut === from) last.markers.push(marker)
    else pieces.push({ text: text.slice(from, cut), markers: [marker] })
    from = cut
  }
  return from < text.length || pieces.length === 0 ? [...pieces, { text: text.slice(from), markers: [] }] : pieces
}

const cutIn = (text: string, from: number, at: number, settled: SettledCuts): number => {
  if (at >= text.length) return text.length
  const blocks = blocksOf(text.slice(from))
  const found = tokenAround(text, blocks, from, at)
  const cut = !found || found.token.type === 'space' ? at : cutInBlock(text, found, at)
  const isFollowed = found && blocks.slice(found.index + 1).some(({ type }) => type !== 'space')
  if (isFollowed || (!found && cut < text.length)) settled.set(at, cut)
  return cut
}

interface FoundToken {
  readonly token: Token
  readonly index: number
  readonly start: number
  readonly end: number
}

/** The token that begins before the place and ends behind it; null where one ends exactly there. */
const tokenAround = (text: string, tokens: readonly Token[], from: number, at: number): FoundToken | null => {
  let start = from
  for (const [index, token] of tokens.entries()) {
    const end = start + token.raw.length
    // The reader of blocks may change what it read, such as tabs: then its lengths are not those of the text.
    if (!text.startsWith(token.raw, start))
      return { token: { ...token, type: 'unknown' }, index, start, end: text.length }
    if (at > start && at < end) return { token, index, start, end }
    if (at <= start) return null
    start = end
  }
  return null
}

const cutInBlock = (text: string, { token, start, end }: FoundToken, at: number): number => {
  if (token.type !== 'paragraph') return end
  const inline = tokenAround(text, token.tokens ?? [], start, at)
  return inline && inline.token.type !== 'text' ? Math.min(inline.end, end) : Math.min(wordEnd(text, at), end)
}

const WORD = /[\p{L}\p{N}_]/u

const wordEnd = (text: string, at: number): number => {
  if (!WORD.test(text[at - 1] ?? '')) return at
  let end = at
  while (end < text.length && WORD.test(text[end] as string)) end++
  return end
}
