// Two texts as the lines of a diff.
import { diffLines } from 'diff'

/** Lines that differ, added and removed together. The time of the comparison grows with its square: this many take some 100 ms. */
const EDITED_LINES_MAX = 800

export interface LineRow {
  readonly kind: 'same' | 'add' | 'del'
  /** The number of the line in its own text, from 1; an unchanged line has that of the newer text. */
  readonly line: number
  /** The text without its line end. */
  readonly text: string
  /** The line is the last of its text and has no line end, while the other text has one or has more. */
  readonly isUnended?: true
}

export interface LineComparison {
  readonly rows: readonly LineRow[]
  readonly added: number
  readonly removed: number
  /** The texts differ too much: all of the old one is shown as removed, all of the new one as added. */
  readonly isCoarse: boolean
}

/** Compares two texts line by line. */
export const compareLines = (before: string, after: string): LineComparison => {
  const changes = before === after ? undefined : diffLines(before, after, { maxEditLength: EDITED_LINES_MAX })
  const isCoarse = changes === undefined && before !== after
  const parts: readonly LinePart[] = changes ?? [
    ...(isCoarse ? [{ value: before, removed: true, added: false }] : []),
    { value: after, removed: false, added: isCoarse },
  ]
  const rows: LineRow[] = []
  const at = { before: 0, after: 0 }
  for (const { value, added, removed } of parts) {
    for (const { text, isEnded } of linesOf(value)) {
      if (!added) at.before += 1
      if (!removed) at.after += 1
      const kind = added ? 'add' : removed ? 'del' : 'same'
      rows.push({
        kind,
        line: removed ? at.before : at.after,
        text,
        ...(!isEnded && kind !== 'same' && before.endsWith('\n') !== after.endsWith('\n') && { isUnended: true }),
      })
    }
  }
  const count = (kind: LineRow['kind']) => rows.filter((row) => row.kind === kind).length
  return { rows, added: count('add'), removed: count('del'), isCoarse }
}

interface LinePart {
  readonly value: string
  readonly added: boolean
  readonly removed: boolean
}

/** The lines of a text. A line end at the end begins no further line; an empty text has no line. */
const linesOf = (text: string): { readonly text: string; readonly isEnded: boolean }[] => {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return [
    ...lines.map((line) => ({ text: line, isEnded: true })),
    ...(last === '' ? [] : [{ text: last, isEnded: false }]),
  ]
}
