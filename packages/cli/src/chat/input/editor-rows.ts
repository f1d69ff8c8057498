import { displayWidth, glyphsOf } from '../../terminal/display-width.ts'
import type { LineEditor } from './line-editor.ts'

/** Longer text scrolls within these rows. */
export const INPUT_ROWS_MAX = 8

export interface EditorRows {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

/** `prompt` precedes the first row, and the others are indented accordingly. Long text shows the rows around the cursor. */
export const editorRows = (editor: LineEditor, prompt: string, promptColumns: number, columns: number): EditorRows => {
  const indent = ' '.repeat(promptColumns)
  const room = Math.max(columns - promptColumns, 2)
  const rows: string[] = []
  let row = ''
  let width = 0
  let at = 0
  let cursor = { row: 0, column: promptColumns }
  const finish = () => {
    rows.push(row)
    row = ''
    width = 0
  }
  for (const glyph of glyphsOf(editor.text)) {
    if (at === editor.cursor) cursor = { row: rows.length, column: promptColumns + width }
    if (glyph.text === '\n') finish()
    else {
      if (width + glyph.columns > room) {
        finish()
        if (at === editor.cursor) cursor = { row: rows.length, column: promptColumns }
      }
      row += glyph.text
      width += glyph.columns
    }
    at += glyph.text.length
  }
  if (editor.cursor >= at) {
    if (width + 1 > room) finish()
    cursor = { row: rows.length, column: promptColumns + width }
  }
  rows.push(row)
  const from = Math.max(0, Math.min(cursor.row - Math.floor(INPUT_ROWS_MAX / 2), rows.length - INPUT_ROWS_MAX))
  const shown = rows.slice(from, from + INPUT_ROWS_MAX)
  return {
    rows: shown.map((text, index) => `${index === 0 ? prompt : indent}${text}`),
    cursor: { row: cursor.row - from, column: cursor.column },
  }
}

export const searchPrompt = (query: string): { readonly text: string; readonly columns: number } => {
  const text = `(search: ${query}) `
  return { text, columns: displayWidth(text) }
}
