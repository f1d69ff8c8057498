// Sessions in a table: where titles would have no room, ids are cut to a beginning that names them.
import type { SessionRow } from '@bridle/client/index'
import { displayWidth } from './display-width.ts'
import { type CliOutput, truncateLine } from './output.ts'
import { shortIds } from './short-ids.ts'
import { printTable, timeAgo } from './table.ts'

/** A list of sessions shortens ids when titles would have fewer columns than this. */
const TITLE_COLUMNS = 32

/** A column between the status and the title. */
export interface SessionColumn {
  readonly head: string
  readonly text: (row: SessionRow) => string
}

export const changedColumn: SessionColumn = { head: 'UPDATED', text: (row) => timeAgo(row.updatedAt, Date.now()) }

export const printSessionTable = (out: CliOutput, rows: readonly SessionRow[], column: SessionColumn): void => {
  const heads = ['ID', 'AGENT', 'STATUS', column.head, 'TITLE']
  const ids = rows.map(({ id }) => id)
  const table = (shown: readonly string[]) =>
    rows.map((row, at) => [
      shown[at] ?? row.id,
      row.agent,
      row.status,
      column.text(row),
      truncateLine(row.title ?? '', out.width),
    ])
  printTable(out, heads, cellsWithIds(out, heads, ids, table))
}

/** The cells of a table whose last column is a title: with whole ids where titles have room, else with short ones. */
export const cellsWithIds = (
  out: CliOutput,
  heads: readonly string[],
  ids: readonly string[],
  table: (ids: readonly string[]) => string[][],
): string[][] => {
  const cells = table(ids)
  return titleColumns(out, heads, cells) < TITLE_COLUMNS ? table(shortIds(ids)) : cells
}

const titleColumns = (out: CliOutput, heads: readonly string[], cells: readonly (readonly string[])[]): number =>
  heads
    .slice(0, -1)
    .reduce(
      (left, head, at) => left - 2 - Math.max(head.length, ...cells.map((row) => displayWidth(row[at] ?? ''))),
      out.width,
    )

/** The lowest score first; sessions that have not reported their health come last. */
export const worstFirst = (rows: readonly SessionRow[]): SessionRow[] =>
  rows.toSorted((a, b) => (a.health?.score ?? 101) - (b.health?.score ?? 101) || a.id.localeCompare(b.id))
