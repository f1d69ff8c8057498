import { readFileSync } from 'node:fs'
import { tryOr } from '@bridle/kernel/try-or'

/** Lines before and after the error. More would scroll the message away. */
const FRAME_LINES = 2
/** If the terminal width is unknown. Indented by two columns, a line still fits into 80. */
const FRAME_COLUMNS_MAX = 78
/** The mark, the bar and the spaces around them. */
const FRAME_MARGIN = 5

/** 1-based, as in editors. */
export interface SourcePosition {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** Null if the file or line cannot be read. Long lines are cropped around the column. */
export const codeFrame = (
  { path, line, column }: SourcePosition,
  columns: number = FRAME_COLUMNS_MAX,
): string | null => {
  const lines = sourceLines(path)
  if (line < 1 || line > lines.length) return null
  const first = Math.max(1, line - FRAME_LINES)
  const rows = lines.slice(first - 1, Math.min(lines.length, line + FRAME_LINES))
  const width = String(first + rows.length - 1).length
  const room = Math.max(columns - width - FRAME_MARGIN, FRAME_LINES)
  const from = column > room ? column - Math.ceil(room / 2) : 0
  const part = (text: string, to = from + room) =>
    text.slice(from, Math.min(to, from + room)).replaceAll(controls, '\ufffd')
  return rows
    .flatMap((text, at) => {
      const number = first + at
      const row = `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${part(text)}`.trimEnd()
      // Keep tabs, so that the mark lines up.
      const mark = `  ${' '.repeat(width)} | ${part(text, column - 1).replaceAll(/[^\t]/g, ' ')}^`
      return number === line ? [row, mark] : [row]
    })
    .join('\n')
}

const sourceLines = (path: string): readonly string[] => tryOr([], () => readFileSync(path, 'utf8').split(/\r?\n/))

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey these.
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g
