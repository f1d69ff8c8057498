// A few lines of a source file around a position, with a mark below it.
import { readFileSync } from 'node:fs'
import { tryOr } from '@bridle/kernel/try-or'

/** Lines of source before and after an error: with the error's own line, what fits below a message without scrolling it away. */
const FRAME_LINES = 2
/** Columns of a frame where the width of the terminal is unknown: with two columns of indent it fits into the usual 80. */
const FRAME_COLUMNS_MAX = 78
/** Columns of a frame beside the number and the text of a line: its mark, the bar and spaces. */
const FRAME_MARGIN = 5

/** A place in a source file, counted from one, as editors do. */
export interface SourcePosition {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** Null = the file cannot be read, or has no such line. Of long lines the part around the column is shown. */
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
      // A tab before the mark is as wide as the tab above it.
      const mark = `  ${' '.repeat(width)} | ${part(text, column - 1).replaceAll(/[^\t]/g, ' ')}^`
      return number === line ? [row, mark] : [row]
    })
    .join('\n')
}

const sourceLines = (path: string): readonly string[] => tryOr([], () => readFileSync(path, 'utf8').split(/\r?\n/))

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey these.
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g
