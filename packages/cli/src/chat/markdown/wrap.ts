// Wraps styled text for the terminal: between words if possible, never within a character.
import { stripVTControlCharacters } from 'node:util'
import { displayWidth, glyphsOf } from '../../terminal/display-width.ts'
import { escapeControls, type TextStyle } from '../../terminal/output.ts'
import type { Span, SpanStyle } from './inline.ts'

/** Styles text. Without colours, some Markdown marks stay, because nothing else conveys them. */
export interface Paint {
  readonly style: (format: TextStyle, text: string) => string
  readonly hasColour: boolean
}

export interface Row {
  readonly text: string
  /** The source position after the row. */
  readonly end: number
}

export interface RowPrefix {
  /** Prefixes of the first row and the others, equally wide. */
  readonly first: string
  readonly rest: string
}

interface Cell {
  readonly text: string
  readonly columns: number
  readonly styles: readonly SpanStyle[]
  readonly end: number
}

export const wrapSpans = (
  source: string,
  spans: readonly Span[],
  { first, rest }: RowPrefix,
  columns: number,
  paint: Paint,
  base: readonly SpanStyle[] = [],
): Row[] => {
  const room = Math.max(columns - displayWidth(stripVTControlCharacters(rest)), 2)
  const lines = breakCells(cellsOf(source, spans, paint.hasColour, base), room)
  return lines.map((cells, at) => ({
    text: `${at === 0 ? first : rest}${paintCells(trimEnd(cells), paint)}`,
    end: at === lines.length - 1 ? source.length : (cells.at(-1)?.end ?? source.length),
  }))
}

export const plainRows = (text: string, columns: number, paint: Paint): string[] =>
  escapeControls(text.trimEnd())
    .split(/\r?\n/)
    .flatMap((line) =>
      wrapSpans(line, [{ start: 0, end: line.length, styles: [] }], { first: '', rest: '' }, columns, paint),
    )
    .map(({ text: row }) => row)

const cellsOf = (source: string, spans: readonly Span[], hasColour: boolean, base: readonly SpanStyle[]): Cell[] => {
  const cells: Cell[] = []
  for (const { start, end, styles, before, after } of spans) {
    const style = base.length > 0 ? [...base, ...styles] : styles
    const quote = !hasColour && styles.at(-1) === 'code' ? '`' : ''
    const add = (text: string, at: number) => {
      for (const glyph of glyphsOf(text)) cells.push({ ...glyph, styles: style, end: at })
    }
    add(before ?? quote, start)
    let at = start
    for (const glyph of glyphsOf(source.slice(start, end))) {
      at += glyph.text.length
      const isTab = glyph.text === '\t'
      cells.push({ text: isTab ? ' ' : glyph.text, columns: isTab ? 1 : glyph.columns, styles: style, end: at })
    }
    add(after ?? quote, end)
  }
  return cells
}

/** Breaks after spaces and next to wide characters. Words longer than a row break anywhere. */
const breakCells = (cells: readonly Cell[], room: number): Cell[][] => {
  const lines: Cell[][] = []
  let line: Cell[] = []
  let width = 0
  let breakAt = 0
  for (const cell of cells) {
    if (width + cell.columns > room && line.length > 0 && cell.text !== ' ') {
      const kept = breakAt > 0 ? breakAt : line.length
      const moved = line.splice(kept)
      lines.push(line)
      line = moved
      width = moved.reduce((sum, each) => sum + each.columns, 0)
      breakAt = 0
    }
    line.push(cell)
    width += cell.columns
    if (cell.text === ' ' || cell.columns === 2) breakAt = line.length
  }
  return [...lines, line]
}

const trimEnd = (cells: readonly Cell[]): readonly Cell[] =>
  cells.slice(0, cells.findLastIndex(({ text }) => text !== ' ') + 1)

const paintCells = (cells: readonly Cell[], paint: Paint): string => {
  let painted = ''
  for (let from = 0; from < cells.length; ) {
    const styles = cells[from]?.styles ?? []
    let to = from
    let text = ''
    for (; to < cells.length && sameStyles(cells[to]?.styles, styles); to++) text += cells[to]?.text
    painted += styles.length === 0 ? text : paint.style([...new Set(styles.flatMap((style) => formats[style]))], text)
    from = to
  }
  return painted
}

const sameStyles = (a: readonly SpanStyle[] | undefined, b: readonly SpanStyle[]): boolean =>
  a === b || (a?.length === b.length && a.every((style, at) => style === b[at]))

const formats = {
  bold: ['bold'],
  italic: ['italic'],
  strikethrough: ['strikethrough'],
  code: ['cyan'],
  address: ['dim'],
} as const satisfies { readonly [S in SpanStyle]: readonly string[] }
