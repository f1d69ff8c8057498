// A few lines of a source file around a position, with a mark below it.
import { readFileSync } from 'node:fs'
import { FRAME_COLUMNS_MAX, FRAME_LINES } from './limits.ts'

/** A place in a source file, counted from one, as editors do. */
export interface SourcePosition {
  /** The absolute path. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/** Null = the file cannot be read, or has no such line. */
export const codeFrame = ({ path, line, column }: SourcePosition): string | null => {
  const lines = sourceLines(path)
  if (line < 1 || line > lines.length) return null
  const first = Math.max(1, line - FRAME_LINES)
  const shown = lines.slice(first - 1, Math.min(lines.length, line + FRAME_LINES))
  const width = String(first + shown.length - 1).length
  const rows = shown.flatMap((text, at) => {
    const number = first + at
    const mark = number === line ? '>' : ' '
    const row = `${mark} ${String(number).padStart(width)} | ${visible(text)}`.trimEnd()
    if (number !== line || column > FRAME_COLUMNS_MAX) return [row]
    // A tab before the mark is as wide as the tab above it.
    return [row, `  ${' '.repeat(width)} | ${visible(text.slice(0, column - 1)).replaceAll(/[^\t]/g, ' ')}^`]
  })
  return rows.join('\n')
}

const sourceLines = (path: string): readonly string[] => {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey these.
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g

const visible = (text: string): string => text.replaceAll(controls, '\ufffd').slice(0, FRAME_COLUMNS_MAX)
