// The chat screen: printed lines that scroll away, and live rows below that are redrawn on every change. Pure: returns
// terminal output.

export interface LiveRows {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

export const noRows: LiveRows = { rows: [], cursor: { row: 0, column: 0 } }

export const drawScreen = (old: LiveRows, printed: readonly string[], live: LiveRows): string => {
  const lines = printed.map((line) => `${line}\r\n`).join('')
  const isSame = printed.length === 0 && sameRows(old, live)
  return isSame ? '' : `${BEGIN}${eraseLive(old)}${lines}${drawLive(live)}${END}`
}

/** Removes the live rows and leaves the cursor where they started. */
export const eraseLive = ({ rows, cursor }: LiveRows): string => {
  if (rows.length === 0) return ''
  return `\r${cursor.row > 0 ? `\u001b[${cursor.row}A` : ''}\u001b[J`
}

/** Accounts for live rows that a narrower window has wrapped. If it truncated them, some printed rows are lost instead. */
export const afterResize = (live: LiveRows, columns: number, widthOf: (row: string) => number): LiveRows => {
  const rowsOf = (width: number): number => Math.max(1, Math.ceil(width / Math.max(columns, 1)))
  const above = live.rows.slice(0, live.cursor.row).reduce((sum, row) => sum + rowsOf(widthOf(row)), 0)
  const within = Math.floor(live.cursor.column / Math.max(columns, 1))
  return { rows: live.rows, cursor: { row: above + within, column: live.cursor.column } }
}

/** Disables auto-wrap, because the terminal may consider a character wider than we do. */
const drawLive = ({ rows, cursor }: LiveRows): string => {
  const up = rows.length - 1 - cursor.row
  const place = `\r${up > 0 ? `\u001b[${up}A` : ''}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`
  return `\u001b[?7l${rows.join('\r\n')}\u001b[?7h${place}`
}

const sameRows = (a: LiveRows, b: LiveRows): boolean =>
  a.cursor.row === b.cursor.row &&
  a.cursor.column === b.cursor.column &&
  a.rows.length === b.rows.length &&
  a.rows.every((row, at) => row === b.rows[at])

/** Synchronised update, with the cursor hidden. */
const BEGIN = '\u001b[?2026h\u001b[?25l'
const END = '\u001b[?25h\u001b[?2026l'
