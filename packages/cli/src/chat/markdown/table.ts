import { stripVTControlCharacters } from 'node:util'
import { displayWidth } from '../../terminal/display-width.ts'
import { parseInline } from './inline.ts'
import { type Paint, wrapSpans } from './wrap.ts'

/** Narrower columns would break words into letters. */
const TABLE_COLUMN_MIN = 4
/** A line with more is shown unformatted. */
const TABLE_COLUMNS_MAX = 40

export const isDelimiterRow = (line: string): boolean =>
  line.includes('-') && line.includes('|') && /^\s*\|?(\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/.test(line)

export const renderTable = (lines: readonly string[], columns: number, paint: Paint): string[] | null => {
  const [head, delimiter, ...body] = lines
  if (head === undefined || delimiter === undefined || !isDelimiterRow(delimiter)) return null
  const sides = splitRow(delimiter).map((cell) =>
    cell.endsWith(':') ? (cell.startsWith(':') ? 'middle' : 'right') : 'left',
  )
  const rows = [head, ...body].map((line) => sides.map((_, column) => splitRow(line)[column] ?? ''))
  const room = columns - 3 * (sides.length - 1)
  if (sides.length > TABLE_COLUMNS_MAX || room < sides.length * TABLE_COLUMN_MIN) return null
  const widths = columnWidths(
    sides.map((_, column) => Math.max(...rows.map((row) => shownWidth(row[column] ?? '', paint)), 1)),
    room,
  )
  const printed = rows.flatMap((row, at) => tableRow(row, widths, sides, at === 0, paint))
  const rule = paint.style('dim', widths.map((width) => '─'.repeat(width)).join('─┼─'))
  const headRows = tableRow(rows[0] ?? [], widths, sides, true, paint).length
  return [...printed.slice(0, headRows), rule, ...printed.slice(headRows)]
}

const splitRow = (line: string): string[] => {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

const tableRow = (
  row: readonly string[],
  widths: readonly number[],
  sides: readonly string[],
  isHead: boolean,
  paint: Paint,
): string[] => {
  const cells = row.map((cell, column) =>
    wrapSpans(cell, parseInline(cell), { first: '', rest: '' }, widths[column] ?? 1, paint, isHead ? ['bold'] : []).map(
      ({ text }) => alignText(text, widths[column] ?? 1, sides[column] ?? 'left'),
    ),
  )
  const height = Math.max(...cells.map((lines) => lines.length))
  const bar = paint.style('dim', ' │ ')
  return Array.from({ length: height }, (_, at) =>
    cells
      .map((lines, column) => lines[at] ?? ' '.repeat(widths[column] ?? 1))
      .join(bar)
      .trimEnd(),
  )
}

const alignText = (text: string, width: number, side: string): string => {
  const space = Math.max(width - displayWidth(stripVTControlCharacters(text)), 0)
  const left = side === 'right' ? space : side === 'middle' ? Math.floor(space / 2) : 0
  return `${' '.repeat(left)}${text}${' '.repeat(space - left)}`
}

const shownWidth = (cell: string, paint: Paint): number =>
  displayWidth(
    stripVTControlCharacters(
      wrapSpans(cell, parseInline(cell), { first: '', rest: '' }, Number.MAX_SAFE_INTEGER, paint)[0]?.text ?? '',
    ),
  )

const columnWidths = (wanted: readonly number[], room: number): number[] => {
  const widths = [...wanted]
  for (let excess = widths.reduce((sum, each) => sum + each, 0) - room; excess > 0; ) {
    const widest = Math.max(...widths)
    const next = Math.max(...widths.filter((each) => each < widest), TABLE_COLUMN_MIN)
    const wide = widths.flatMap((each, at) => (each === widest ? [at] : []))
    const step = Math.max(1, Math.min(widest - next, Math.ceil(excess / wide.length)))
    for (const at of wide) {
      if (excess <= 0) break
      widths[at] = widest - Math.min(step, excess)
      excess -= Math.min(step, excess)
    }
  }
  return widths
}
