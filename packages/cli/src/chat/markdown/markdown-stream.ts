// Streams Markdown to terminal rows. Finished lines are printed once; only the open line or table is redrawn.

import { displayWidth, glyphsOf } from '../../terminal/display-width.ts'
import { escapeControls } from '../../terminal/output.ts'
import type { Span } from './inline.ts'
import { continuedRows, LINE_INDENT_MAX, lineRows, restPrefix } from './line-rows.ts'
import { isDelimiterRow, renderTable } from './table.ts'
import { type Paint, type Row, wrapSpans } from './wrap.ts'

/** With colours, code is indented instead of fenced. */
const CODE_INDENT = 2
/** Rows held back for alignment. A longer table is aligned in parts. */
const TABLE_ROWS_MAX = 200
/** The usual tab width for code on a narrow screen. */
const TAB_COLUMNS = 4

interface Fence {
  readonly mark: string
  readonly indent: number
}

export class MarkdownStream {
  readonly #paint: Paint
  /** The unprinted part of the open line. */
  #line = ''
  /** The row prefix if the start of the open line was printed, otherwise null. */
  #continued: string | null = null
  #fence: Fence | null = null
  /** An open table, or a line that may be its header. */
  #table: string[] = []
  #hasText = false
  #isAfterBlank = true
  #pushed = 0

  constructor(paint: Paint) {
    this.#paint = paint
  }

  /** Source characters already printed, which cannot be withdrawn. */
  get printed(): number {
    return this.#pushed - this.#line.length - this.#table.reduce((sum, line) => sum + line.length + 1, 0)
  }

  get hasOpenRows(): boolean {
    return this.#line !== '' || this.#table.length > 0
  }

  /** Adds text and returns the rows that are now final. */
  push(text: string, columns: number): string[] {
    this.#pushed += text.length
    this.#line += text
    if (!text.includes('\n')) return []
    const lines = this.#line.split('\n')
    this.#line = lines.pop() ?? ''
    return lines.flatMap((line) => this.#finishLine(line, columns))
  }

  openRows(columns: number): string[] {
    const table = this.#table.flatMap((line) => textsOf(lineRows(visible(line), columns, this.#paint)))
    return this.#line === '' ? table : [...table, ...textsOf(this.#rowsOf(this.#line, columns))]
  }

  /** Finalises all but the last rows of the open line: a paragraph may be longer than the window. */
  freeze(rowsKept: number, columns: number): string[] {
    if (this.#table.length > 0) return []
    const rows = this.#rowsOf(this.#line, columns)
    const last = rows.length - rowsKept - 1
    if (last < 0) return []
    if (this.#fence === null) this.#continued ??= restPrefix(visible(this.#line), this.#paint)
    else this.#continued = ''
    this.#line = this.#line.slice(rows[last]?.end)
    this.#isAfterBlank = false
    this.#hasText = true
    return textsOf(rows.slice(0, last + 1))
  }

  end(columns: number): string[] {
    const rest = this.#line === '' ? [] : this.#finishLine(this.#line, columns)
    this.#line = ''
    return [...rest, ...this.#finishTable(columns)]
  }

  /** Removes the end of the text. False if part of it was printed. */
  withdrawTo(length: number): boolean {
    if (length < this.printed || this.#pushed - this.#line.length > length) return false
    this.#line = this.#line.slice(0, this.#line.length - (this.#pushed - length))
    this.#pushed = length
    return true
  }

  #finishLine(line: string, columns: number): string[] {
    const shown = visible(line)
    const isContinued = this.#continued !== null
    if (this.#fence === null && !isContinued) {
      if (this.#belongsToTable(shown)) return this.#table.push(line) < TABLE_ROWS_MAX ? [] : this.#finishTable(columns)
      const table = this.#finishTable(columns)
      if (shown.includes('|') && shown.trim() !== '') {
        this.#table = [line]
        return table
      }
      return [...table, ...this.#printLine(shown, columns)]
    }
    const rows = this.#printLine(shown, columns)
    this.#continued = null
    return rows
  }

  #belongsToTable(line: string): boolean {
    if (this.#table.length === 0) return false
    return this.#table.length === 1 ? isDelimiterRow(line) : line.includes('|')
  }

  #finishTable(columns: number): string[] {
    const lines = this.#table.map(visible)
    this.#table = []
    if (lines.length === 0) return []
    const table = renderTable(lines, columns, this.#paint)
    if (!table) return lines.flatMap((line) => this.#printLine(line, columns))
    this.#hasText = true
    this.#isAfterBlank = false
    return table
  }

  #printLine(line: string, columns: number): string[] {
    const fence = /^( *)(`{3,}|~{3,})(.*)$/.exec(line)
    if (this.#fence !== null) {
      const isEnd = fence?.[2]?.startsWith(this.#fence.mark) && fence[3]?.trim() === '' && this.#continued === null
      if (!isEnd) return textsOf(this.#rowsOf(line, columns))
      const { mark, indent } = this.#fence
      this.#fence = null
      return this.#paint.hasColour ? [] : [`${' '.repeat(indent)}${mark}`]
    }
    if (fence && this.#continued === null) {
      const [, indent = '', mark = '', language = ''] = fence
      this.#fence = { mark, indent: Math.min(indent.length, LINE_INDENT_MAX) }
      this.#hasText = true
      this.#isAfterBlank = false
      return textsOf(
        this.#paint.hasColour
          ? languageRows(visible(language).trim(), this.#fence, columns, this.#paint)
          : this.#rowsOf(`${' '.repeat(this.#fence.indent)}${mark}${language}`, columns),
      )
    }
    if (line.trim() === '' && this.#continued === null) {
      if (this.#isAfterBlank || !this.#hasText) return []
      this.#isAfterBlank = true
      return ['']
    }
    this.#isAfterBlank = false
    this.#hasText = true
    return textsOf(this.#rowsOf(line, columns))
  }

  #rowsOf(line: string, columns: number): Row[] {
    const shown = visible(line)
    if (this.#fence) return codeRows(shown, this.#fence, columns, this.#paint)
    if (this.#continued !== null) return continuedRows(shown, this.#continued, columns, this.#paint)
    return lineRows(shown, columns, this.#paint)
  }
}

/** Makes control characters visible without moving others. */
const visible = (line: string): string => escapeControls(line.endsWith('\r') ? line.slice(0, -1) : line)

const textsOf = (rows: readonly Row[]): string[] => rows.map(({ text }) => text)

const languageRows = (language: string, { indent }: Fence, columns: number, paint: Paint): Row[] => {
  const prefix = ' '.repeat(indent + CODE_INDENT)
  const words: Span = { start: 0, end: language.length, styles: ['address'] }
  return language === '' ? [] : wrapSpans(language, [words], { first: prefix, rest: prefix }, columns, paint)
}

/** Wraps code only at the window edge, because its whitespace matters. */
const codeRows = (line: string, { indent }: Fence, columns: number, paint: Paint): Row[] => {
  const prefix = paint.hasColour ? ' '.repeat(indent + CODE_INDENT) : ''
  const room = Math.max(columns - prefix.length, 2)
  const rows: Row[] = []
  let row = ''
  let width = 0
  let end = 0
  const finish = () => {
    rows.push({ text: row === '' ? '' : `${prefix}${paint.style('cyan', row)}`, end })
    row = ''
    width = 0
  }
  for (const glyph of glyphsOf(line)) {
    const text = glyph.text === '\t' ? ' '.repeat(TAB_COLUMNS - (width % TAB_COLUMNS)) : glyph.text
    const added = displayWidth(text)
    if (width + added > room) finish()
    row += text
    width += added
    end += glyph.text.length
  }
  finish()
  return rows
}
