// The rows of the palette, and which of them fit what somebody types.
import type { IconName } from '../../ui/icon-names.ts'
import type { ActionId } from '../action-table.ts'
import { matchText, type TextMatch } from '../match.ts'

/** Rows of one group: the list stays short enough to be read, and one more letter brings the rest. */
const GROUP_ROWS = 8
/** Rows of a group while nothing is typed: all actions of any page, and no more sessions than somebody scrolls through. */
const UNTYPED_ROWS = 60

export interface PaletteItem {
  readonly key: string
  readonly action?: ActionId
  readonly icon: IconName
  readonly words: string
  readonly detail?: string
  /** Found by these words too, which are not shown. */
  readonly more?: string
  /** A word at the right: a status. */
  readonly side?: string
  /** The keys that do the same. */
  readonly keys?: string
  readonly run: () => unknown
}

export interface PaletteGroup {
  readonly title: string
  readonly items: readonly PaletteItem[]
}

export interface FoundItem extends PaletteItem {
  readonly ranges: TextMatch['ranges']
}

export interface FoundGroup {
  readonly title: string
  readonly items: readonly FoundItem[]
}

/** The groups in their order, each with what fits best first. While nothing is typed, in the order in which they come. */
export const findItems = (query: string, groups: readonly PaletteGroup[]): readonly FoundGroup[] => {
  const typed = query.trim()
  const rows = typed === '' ? UNTYPED_ROWS : GROUP_ROWS
  return groups.flatMap(({ title, items }) => {
    const found = items.flatMap((item) => {
      const match = matchText(typed, itemText(item))
      return match ? [{ item, match }] : []
    })
    // The sort is stable: equals stay as they came.
    const best = found.toSorted((one, other) => other.match.score - one.match.score).slice(0, rows)
    return best.length === 0
      ? []
      : [{ title, items: best.map(({ item, match }) => ({ ...item, ranges: match.ranges })) }]
  })
}

/** The words that are shown stand first, so that the places of a match are places in them. */
const itemText = ({ words, detail = '', more = '' }: PaletteItem): string => `${words} ${detail} ${more}`

export interface TextPiece {
  readonly text: string
  readonly isMarked: boolean
}

/** A part of the row's text in pieces: those that fit are marked. `from` is where it begins. */
export const markedPieces = (text: string, from: number, ranges: TextMatch['ranges']): readonly TextPiece[] => {
  const pieces: TextPiece[] = []
  let at = 0
  for (const [start, end] of ranges) {
    const first = Math.max(at, start - from)
    const last = Math.min(text.length, end - from)
    if (last <= first) continue
    if (first > at) pieces.push({ text: text.slice(at, first), isMarked: false })
    pieces.push({ text: text.slice(first, last), isMarked: true })
    at = last
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false })
  return pieces
}

/** `41`, `event 41`, `ev-41` and `#41` name an event. */
export const eventOf = (query: string): number | null => {
  const [, digits] = /^(?:go to )?(?:event |ev-|#)?(\d{1,15})$/i.exec(query.trim()) ?? []
  return digits === undefined ? null : Number(digits)
}
