// The table of sessions. Ids are shortened if titles would lack space.
import type { SessionRow } from '@bridle/client/index'
import { displayWidth } from './display-width.ts'
import { type CliOutput, truncateLine } from './output.ts'
import { shortIds } from './short-ids.ts'
import { printTable, timeAgo } from './table.ts'

/** Ids are shortened below this title width. */
const TITLE_COLUMNS = 32

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

/** Cells of a table whose last column is a title. Shortens ids if necessary. */
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

/** By ascending score. Sessions without health come last. */
export const worstFirst = (rows: readonly SessionRow[]): SessionRow[] =>
  rows.toSorted((a, b) => (a.health?.score ?? 101) - (b.health?.score ?? 101) || a.id.localeCompare(b.id))
