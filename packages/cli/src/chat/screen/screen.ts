// The window of a chat: printed lines that scroll away, and below them the live rows, which are drawn again with every change. The
// result is text for the terminal; nothing here writes.

export interface LiveRows {
  /** Each fits in a row of the window. */
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

export const noRows: LiveRows = { rows: [], cursor: { row: 0, column: 0 } }

/** Replaces the live rows, and prints lines above them. */
export const drawScreen = (old: LiveRows, printed: readonly string[], live: LiveRows): string => {
  const lines = printed.map((line) => `${line}\r\n`).join('')
  const isSame = printed.length === 0 && sameRows(old, live)
  return isSame ? '' : `${BEGIN}${eraseLive(old)}${lines}${drawLive(live)}${END}`
}

/** Removes the live rows: afterwards the cursor stands where they began. */
export const eraseLive = ({ rows, cursor }: LiveRows): string => {
  if (rows.length === 0) return ''
  return `\r${cursor.row > 0 ? `\u001b[${cursor.row}A` : ''}\u001b[J`
}

/**
 * A window that became narrower has broken the rows, so the first live row is further up than it was. Terminals that cut rows
 * instead lose some printed rows by this; the other mistake would leave rubbish on the screen with each step of the mouse.
 */
export const afterResize = (live: LiveRows, columns: number, widthOf: (row: string) => number): LiveRows => {
  const rowsOf = (width: number): number => Math.max(1, Math.ceil(width / Math.max(columns, 1)))
  const above = live.rows.slice(0, live.cursor.row).reduce((sum, row) => sum + rowsOf(widthOf(row)), 0)
  const within = Math.floor(live.cursor.column / Math.max(columns, 1))
  return { rows: live.rows, cursor: { row: above + within, column: live.cursor.column } }
}

/** Without automatic wrap a row stays a row, though a terminal may find a character wider than this program does. */
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

/** Drawn in one step where the terminal can, and without a jumping cursor. */
const BEGIN = '\u001b[?2026h\u001b[?25l'
const END = '\u001b[?25h\u001b[?2026l'
